/** Where the transcript of a running agent is: one way per program, the surest first. */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { asRecord, parseRecord, str } from "../../readers/json.js";
import type { DatabasePlace } from "../transcript/opencode-database.js";
import { isInside, readHeadInside, realRoot } from "../transcript/safe-open.js";
import { readSessionFile } from "../transcript/session-file.js";

export interface Candidate {
  kind: string;
  /** The process and those inside it that are the same program. */
  pids: readonly number[];
  startedAt: number;
  argv: readonly string[];
  cwd: string | null;
  /** Of its environment, as far as it can be read. */
  env: ReadonlyMap<string, string>;
  home: string;
  openFiles: readonly string[];
}

export interface Located {
  /** Null as long as it cannot be told. */
  transcript: string | null;
  /** The folder that all transcripts of the program are in. */
  root: string;
  sessionId: string | null;
  /** Where the program keeps a database instead of transcripts. */
  database?: DatabasePlace;
  /** The program's own folder: Claude Code keeps its state files there. */
  configFolder: string;
}

type Locate = (candidate: Candidate) => Promise<Located | null>;

const LOCATE: Readonly<Record<string, Locate>> = {
  "claude-code": locateClaude,
  codex: locateCodex,
  gemini: locateGemini,
  opencode: locateOpenCode,
};

const NAMES_MAX = 5000;
const FOLDERS_MAX = 2000;
const HEAD_BYTES = 256 * 1024;
const HEADS_MAX = 50;
const DAYS_MAX = 31;
/** Times of files are a little behind the clock. */
const SLACK_MS = 2000;
const ID = /^[\w-]{1,100}$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

export function locateTranscript(candidate: Candidate): Promise<Located | null> {
  return LOCATE[candidate.kind]?.(candidate) ?? Promise.resolve(null);
}

async function locateClaude(candidate: Candidate): Promise<Located | null> {
  const configFolder = candidate.env.get("CLAUDE_CONFIG_DIR") || join(candidate.home, ".claude");
  const root = join(configFolder, "projects");
  for (const pid of candidate.pids) {
    const file = await readSessionFile(configFolder, pid, candidate.startedAt);
    if (file && ID.test(file.sessionId)) {
      const transcript = await claudeTranscript(root, file.sessionId, file.cwd ?? candidate.cwd);
      return { transcript, root, sessionId: file.sessionId, configFolder };
    }
  }
  const given = optionOf(candidate.argv, ["--session-id", "--resume", "-r"]);
  if (given !== null && UUID.test(given) && ID.test(given)) {
    return { transcript: await claudeTranscript(root, given, candidate.cwd), root, sessionId: given, configFolder };
  }
  const folder = candidate.cwd === null ? null : join(root, claudeFolder(candidate.cwd));
  const newest =
    folder &&
    (await newestFile(folder, candidate.startedAt, (name) => name.endsWith(".jsonl") && !name.startsWith("agent-")));
  return { transcript: newest || null, root, sessionId: newest ? basename(newest, ".jsonl") : null, configFolder };
}

/** Where Claude Code keeps the conversations of a folder: everything but letters and digits becomes a dash. */
function claudeFolder(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}

/**
 * The file does not exist before the first prompt, so the place where it will be is an answer too. A process that
 * changed its folder, and a long path that was shortened, are found by the name of the file.
 */
async function claudeTranscript(root: string, sessionId: string, cwd: string | null): Promise<string | null> {
  const name = `${sessionId}.jsonl`;
  const expected = cwd === null ? null : join(root, claudeFolder(cwd), name);
  if (expected !== null && (await changedAt(expected)) !== null) return expected;
  for (const folder of (await namesIn(root)).slice(0, FOLDERS_MAX)) {
    const path = join(root, folder, name);
    if ((await changedAt(path)) !== null) return path;
  }
  return expected;
}

async function locateCodex(candidate: Candidate): Promise<Located | null> {
  const configFolder = candidate.env.get("CODEX_HOME") || join(candidate.home, ".codex");
  const root = join(configFolder, "sessions");
  const real = realRoot(root);
  if (real === null) return { transcript: null, root, sessionId: null, configFolder };
  const open = candidate.openFiles.find((path) => isInside(path, real) && isRollout(basename(path)));
  const transcript = open ?? (await newestRollout(real, candidate));
  return {
    transcript,
    root,
    sessionId: transcript === null ? null : (UUID.exec(basename(transcript))?.[0] ?? null),
    configFolder,
  };
}

function isRollout(name: string): boolean {
  return name.startsWith("rollout-") && name.endsWith(".jsonl");
}

/** The file may be held by a helper process of Codex: then the newest one of the same folder is taken. */
async function newestRollout(root: string, { cwd, startedAt }: Candidate): Promise<string | null> {
  if (cwd === null) return null;
  const files: { path: string; at: number }[] = [];
  for (const day of await newestDays(root)) {
    for (const name of (await namesIn(day)).filter(isRollout)) {
      const at = await changedAt(join(day, name));
      if (at !== null && at >= startedAt - SLACK_MS) files.push({ path: join(day, name), at });
    }
  }
  files.sort((a, b) => b.at - a.at);
  for (const { path } of files.slice(0, HEADS_MAX)) {
    const head = (await readHeadInside(path, root, HEAD_BYTES))?.split("\n", 1)[0] ?? "";
    if (str(asRecord(parseRecord(head)?.payload), "cwd") === cwd) return path;
  }
  return null;
}

async function newestDays(root: string): Promise<string[]> {
  const days: string[] = [];
  for (const year of await numbersIn(root)) {
    for (const month of await numbersIn(join(root, year))) {
      for (const day of await numbersIn(join(root, year, month))) {
        days.push(join(root, year, month, day));
        if (days.length >= DAYS_MAX) return days;
      }
    }
  }
  return days;
}

async function locateGemini({ home, cwd, startedAt }: Candidate): Promise<Located | null> {
  const configFolder = join(home, ".gemini");
  const root = join(configFolder, "tmp");
  const nothing = { transcript: null, root, sessionId: null, configFolder };
  if (cwd === null) return nothing;
  const names = new Set([createHash("sha256").update(cwd).digest("hex"), ...(await geminiProjects(configFolder, cwd))]);
  for (const name of names) {
    const isChat = (file: string): boolean => file.startsWith("session-") && file.endsWith(".jsonl");
    const newest = await newestFile(join(root, name, "chats"), startedAt, isChat);
    if (newest) return { ...nothing, transcript: newest };
  }
  return nothing;
}

/** Newer releases name a project's folder, and keep a list of the names. */
async function geminiProjects(configFolder: string, cwd: string): Promise<string[]> {
  const root = realRoot(configFolder);
  const text = root && (await readHeadInside(join(root, "projects.json"), root, 1024 * 1024));
  const name = str(asRecord(parseRecord(text ?? "")?.projects), cwd);
  return name !== undefined && /^[\w.-]{1,200}$/.test(name) && !name.startsWith(".") ? [name] : [];
}

const DATABASE = /^opencode(?:-[\w.-]{1,40})?\.db$/;

/** Which session of the database is its own, only the rows tell: see `opencode-database.ts`. */
async function locateOpenCode({ env, home, openFiles, argv, cwd, startedAt }: Candidate): Promise<Located | null> {
  const usual = join(env.get("XDG_DATA_HOME") || join(home, ".local", "share"), "opencode", "opencode.db");
  const path = openFiles.find((file) => DATABASE.test(basename(file))) ?? usual;
  const root = dirname(path);
  const given = optionOf(argv, ["--session", "-s"]);
  const session = given !== null && ID.test(given) ? given : null;
  const database = cwd === null ? {} : { database: { path, root, directory: cwd, startedAt, session } };
  return { transcript: null, root, sessionId: session, configFolder: root, ...database };
}

/** The newest file of a folder that was written since the process started. */
async function newestFile(folder: string, since: number, isWanted: (name: string) => boolean): Promise<string | null> {
  let newest: { path: string; at: number } | null = null;
  for (const name of (await namesIn(folder)).filter(isWanted)) {
    const at = await changedAt(join(folder, name));
    if (at !== null && at >= since - SLACK_MS && at > (newest?.at ?? 0)) newest = { path: join(folder, name), at };
  }
  return newest?.path ?? null;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).slice(0, NAMES_MAX);
}

async function numbersIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => /^\d{1,4}$/.test(name)).sort((a, b) => Number(b) - Number(a));
}

function changedAt(path: string): Promise<number | null> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => null,
  );
}

function optionOf(argv: readonly string[], names: readonly string[]): string | null {
  for (const [at, word] of argv.entries()) {
    const equals = word.indexOf("=");
    if (names.includes(word)) return argv[at + 1] ?? null;
    if (equals > 0 && names.includes(word.slice(0, equals))) return word.slice(equals + 1);
  }
  return null;
}
