/** One rollout file of lines per session, below `sessions/<year>/<month>/<day>/`. */
import { basename, dirname, join } from "node:path";
import { asRecord, type JsonRecord, parseRecord, recordAt, stringAt } from "../../readers/records/json.js";
import type { ProgramFiles } from "../files.js";
import { type Candidate, hasFields, SLACK_MS, type TranscriptPart, UUID } from "../transcript.js";

const HEAD_BYTES = 256 * 1024;
const HEADS_MAX = 50;
const DAYS_MAX = 31;

export const transcript: TranscriptPart = {
  locate: async (candidate, files) => {
    const configFolder = candidate.env.get("CODEX_HOME") || join(candidate.home, ".codex");
    const root = join(configFolder, "sessions");
    const real = files.realRoot(root);
    if (real === null) return { transcript: null, root, sessionId: null, configFolder };
    const isBelow = (path: string): boolean => path.startsWith(real.endsWith("/") ? real : `${real}/`);
    const open = candidate.openFiles.filter((path) => isBelow(path) && isRollout(basename(path)));
    const named = await mainRollout(files, real, open);
    const path = named ?? (await newestRollout(files, real, candidate));
    return {
      transcript: path,
      isNamed: named !== null,
      root,
      sessionId: path === null ? null : (UUID.exec(basename(path))?.[0] ?? null),
      configFolder,
    };
  },
  isOwn: (records) => hasFields(records, "timestamp", "type", "payload"),
  isStream: () => false,
  unfold: { absent: "sessions are files of lines" },
  sideFiles: {
    folder: (path) => Promise.resolve(dirname(path)),
    isSideFile: isRollout,
    isOf: (head, path) => {
      const meta = recordAt(head, "payload");
      const session = stringAt(meta, "session_id") ?? stringAt(meta, "parent_thread_id");
      return isSubagent(meta) && session === UUID.exec(basename(path))?.[0];
    },
  },
  database: { absent: "the transcript is a file of lines" },
};

function isRollout(name: string): boolean {
  return name.startsWith("rollout-") && name.endsWith(".jsonl");
}

/** A helper process of Codex may have the file open: then the newest one of the same folder is used. */
async function newestRollout(files: ProgramFiles, root: string, { cwd, startedAt }: Candidate): Promise<string | null> {
  if (cwd === null) return null;
  const found: { path: string; at: number }[] = [];
  for (const day of await newestDays(files, root)) {
    for (const name of (await files.names(day)).filter(isRollout)) {
      const at = await files.changedAt(join(day, name));
      if (at !== null && at >= startedAt - SLACK_MS) found.push({ path: join(day, name), at });
    }
  }
  found.sort((a, b) => b.at - a.at);
  for (const { path } of found.slice(0, HEADS_MAX)) {
    const meta = await metaOf(files, root, path);
    if (stringAt(meta, "cwd") === cwd && !isSubagent(meta)) return path;
  }
  return null;
}

/** Codex also has the rollouts of its subagents open. */
async function mainRollout(files: ProgramFiles, root: string, open: readonly string[]): Promise<string | null> {
  if (open.length < 2) return open[0] ?? null;
  for (const path of open.slice(0, HEADS_MAX)) if (!isSubagent(await metaOf(files, root, path))) return path;
  return null;
}

async function metaOf(files: ProgramFiles, root: string, path: string): Promise<JsonRecord | null> {
  const head = (await files.readHead(path, root, HEAD_BYTES))?.split("\n", 1)[0] ?? "";
  return asRecord(parseRecord(head)?.payload);
}

const isSubagent = (meta: JsonRecord | null | undefined): boolean => recordAt(meta, "source", "subagent") !== undefined;

async function newestDays(files: ProgramFiles, root: string): Promise<string[]> {
  const days: string[] = [];
  for (const year of await numbersIn(files, root)) {
    for (const month of await numbersIn(files, join(root, year))) {
      for (const day of await numbersIn(files, join(root, year, month))) {
        days.push(join(root, year, month, day));
        if (days.length >= DAYS_MAX) return days;
      }
    }
  }
  return days;
}

async function numbersIn(files: ProgramFiles, folder: string): Promise<string[]> {
  const names = await files.names(folder);
  return names.filter((name) => /^\d{1,4}$/.test(name)).sort((a, b) => Number(b) - Number(a));
}
