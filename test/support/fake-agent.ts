/** The scripted agent of `test/fake-agent` under the real `bin/rouse`, and its state in `rouse status --json`. */
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { type Home, rouse, until } from "./hosts.js";

const MAIN = join(import.meta.dirname, "..", "fake-agent", "main.mjs");

export interface FakeScript {
  steps: readonly ({ do: string } & Record<string, unknown>)[];
  speed?: number;
  /** Its steps when it is resumed. It is then a separate program that accepts any arguments. */
  resumed?: readonly ({ do: string } & Record<string, unknown>)[];
  /** It writes a transcript at the place of Claude Code's own. */
  writes?: boolean;
  /** How often it draws, in milliseconds. */
  drawMs?: number;
  /** It logs the input of its terminal: see `receivedBy`. */
  logs?: boolean;
}

const folderOf = (home: Home, name: string): string => join(home.path, "agents", name);

/** Its workspace is a separate folder, as in reality: not the one that contains the journal. */
export const placeOf = (home: Home, name: string): Home => ({ ...home, path: folderOf(home, name) });

function transcriptOf(home: Home, folder: string): string {
  const projects = join(home.env.CLAUDE_CONFIG_DIR ?? join(home.path, ".claude"), "projects");
  return join(projects, folder.replace(/[^a-zA-Z0-9]/g, "-"), `${randomUUID()}.jsonl`);
}

/** The command that runs a script, as a program called `claude`. */
export function fakeAgent(home: Home, name: string, script: FakeScript): string[] {
  const folder = folderOf(home, name);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "claude");
  // A retried test has left them.
  for (const path of [program, join(folder, "bin")]) rmSync(path, { recursive: true, force: true });
  if (script.resumed) {
    // The process is called `claude` too, so that its transcript is found.
    mkdirSync(join(folder, "bin"));
    symlinkSync(process.execPath, join(folder, "bin", "claude"));
    writeFileSync(program, `#!/bin/sh\nexec "${folder}/bin/claude" "${MAIN}" "${folder}/script.json" "$@"\n`);
    chmodSync(program, 0o755);
  } else symlinkSync(process.execPath, program);
  const transcript = script.writes ? transcriptOf(home, folder) : null;
  // As with Claude Code, the file has the name of its conversation, which no other process has in its arguments.
  const session = transcript === null ? undefined : basename(transcript, ".jsonl");
  const log = script.logs ? join(folder, "received.jsonl") : null;
  writeFileSync(join(folder, "script.json"), JSON.stringify({ ...script, transcript, session, log }));
  return script.resumed ? [program] : [program, MAIN, join(folder, "script.json")];
}

export interface Arrival {
  at: number;
  text: string;
  /** How long a dialog had been on the screen on arrival; null without a dialog. */
  dialogMs: number | null;
  /** The content of its composer then, and for how long. */
  draft: string;
  draftMs: number;
}

function loggedBy<T>(home: Home, name: string, file: string): T[] {
  const path = join(folderOf(home, name), file);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as T);
}

/** The input of its terminal, in pieces as it arrived. */
export const receivedBy = (home: Home, name: string): Arrival[] => loggedBy(home, name, "received.jsonl");

/** Every process that played its script. */
export const startsOf = (home: Home, name: string): { at: number; pid: number; isResumed: boolean }[] =>
  loggedBy(home, name, "received.jsonl.starts");

export async function spawnFake(home: Home, name: string, script: FakeScript, tags: string[] = []): Promise<void> {
  const command = fakeAgent(home, name, script);
  const tagged = tags.flatMap((tag) => ["--tag", tag]);
  const { status, stderr } = await rouse(placeOf(home, name), ["spawn", "--name", name, ...tagged, "--", ...command]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

/** The output of the command. */
export async function statusOf(home: Home, name: string): Promise<SessionView | null> {
  const { status, stdout } = await rouse(home, ["status", "--all", "--json"]);
  if (status !== 0) return null;
  const { agents } = JSON.parse(stdout) as { agents: SessionView[] };
  return agents.find((agent) => agent.name === name) ?? null;
}

/** The same from the daemon itself, without starting a command: for frequent polling. */
export async function viewOf(home: Home, name: string): Promise<SessionView | null> {
  const { daemonSocket } = rousePaths(home.env);
  return askDaemon(daemonSocket, "GET", `/v1/agents/${name}`).then(
    (view) => view as SessionView,
    () => null,
  );
}

export const verdictOf = ({ state, cause }: Pick<SessionView, "state" | "cause">): string =>
  cause === null ? state : `${state}/${cause}`;

/** Waits until `status --json` shows this state (`gone*`: with any cause), and returns the rest of the view. */
export async function reaches(home: Home, name: string, wanted: string, ms = 90_000): Promise<SessionView> {
  let last: SessionView | null = null;
  const says = (view: SessionView): boolean =>
    wanted.endsWith("*") ? view.state === wanted.slice(0, -1) : verdictOf(view) === wanted;
  const isSo = async (): Promise<boolean> => {
    last = await viewOf(home, name);
    if (last === null || !says(last)) return false;
    last = await statusOf(home, name);
    return last !== null && says(last);
  };
  await until(`${name} to be ${wanted}`, isSo, ms).catch((error: Error) => {
    throw new Error(
      `${error.message}; it is ${last ? `${verdictOf(last)}: ${last.reasons.join(" · ")}` : "not known"}`,
    );
  });
  return last as unknown as SessionView;
}

/** Types like `rouse type`, without its start-up. */
export async function typeInto(home: Home, name: string, text: string): Promise<void> {
  const found = findSession(rousePaths(home.env), name);
  if (found?.hostSocket == null) throw new Error(`${name} has no host`);
  await askHost(found as FoundSession & { hostSocket: string }, { op: "type", text }, "typed");
}
