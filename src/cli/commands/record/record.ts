/** `rouse record`: records an agent as a case that `rouse replay` reads. */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../../config/paths.js";
import { NONE_RUNNING, unknownAgent } from "../../../config/unknown-agent.js";
import { sanitizedJson } from "../../../core/text/sanitize.js";
import { sessionOf } from "../../../daemon/views/session-record.js";
import { BadInput } from "../../../replay/files.js";
import { type FoundSession, listSessions } from "../../../terminal/registry.js";
import { call } from "../../client.js";
import { parseDuration } from "../../since.js";
import { readVersion } from "../../version.js";
import { Recorder, type Recording, type RecordTarget } from "./recorder.js";

export function addRecord(program: Command, setExit: (code: number) => void): void {
  program
    .command("record")
    .summary("Record an agent for rouse replay")
    .description(
      "Record the terminal, the transcripts and samples of the process until Ctrl-C or until the agent ends, and print\n" +
        "the folder of each recording. Secrets are replaced by asterisks. Of typed keys it records the time, the number and\n" +
        "special keys (Enter, Escape, arrows, Ctrl-C), but no text, because users type passwords; --keys records the text\n" +
        "too. Keys typed into your own tmux panes are not recorded.",
    )
    .argument("[agent]", "name of the agent")
    .option("--all", "record every running agent")
    .option("--out <dir>", "parent folder of the recordings", "recordings")
    .option("--for <duration>", "stop after this time: 90s, 10m, 8h", parseDuration)
    .option("--keys", "record typed text too; only secrets in a recognized format are masked")
    .option("--json", "print JSON")
    .action(async (name, options, command) => {
      if ((name === undefined) === (options.all !== true))
        command.error("error: give the name of one agent, or --all", { exitCode: 2 });
      const targets = wanted(await runningAgents(), name);
      // Before the start: a signal during the start must leave a complete recording too.
      const asked = askedToEnd();
      const started = await startAll(targets, options.out, options.keys === true);
      if (!options.json)
        process.stderr.write(`recording ${started.map(({ name: n }) => n).join(", ")}; press Ctrl-C to stop\n`);
      const signal = await untilOver(
        started.map(({ recorder }) => recorder.ended),
        asked,
        options.for ?? null,
      );
      const recorded = await Promise.all(started.map(({ recorder }) => recorder.stop()));
      process.stdout.write(options.json ? `${sanitizedJson({ recordings: recorded })}\n` : recordedText(recorded));
      if (recorded.length < targets.length || recorded.some(({ contents }) => contents.length === 0)) setExit(1);
      else if (signal !== null) setExit(128 + constants.signals[signal]);
    });
}

/** From the daemon, or from the hosts of the agents if no daemon runs. */
async function runningAgents(): Promise<RecordTarget[]> {
  const paths = rousePaths();
  const orNone = <T>(answer: Promise<{ agents: T[] }>): Promise<T[]> =>
    answer.then(
      ({ agents }) => agents,
      () => [],
    );
  const [sessions, sources] = await Promise.all([orNone(call("sessions", {})), orNone(call("sources", {}))]);
  const versions = new Map(sources.map(({ session, version }) => [session, version]));
  const hosts = listSessions(paths).filter((found) => found.isAlive);
  const hostOf = (session: string): RecordTarget["host"] => withSocket(hosts.find((host) => host.id === session));
  const known = new Set(sessions.map(({ id: session }) => session));
  return [...sessions.map(sessionOf), ...hosts.filter(({ id: session }) => !known.has(session))].map((session) => ({
    session,
    version: versions.get(session.id) ?? null,
    host: hostOf(session.id),
  }));
}

function withSocket(found: FoundSession | undefined): RecordTarget["host"] {
  return found && found.hostSocket !== null ? { ...found, hostSocket: found.hostSocket } : null;
}

function wanted(running: readonly RecordTarget[], name: string | undefined): RecordTarget[] {
  if (name === undefined && running.length === 0) throw new BadInput(NONE_RUNNING);
  if (name === undefined) return [...running];
  const found = running.filter(({ session }) => session.name === name || session.id === name);
  if (found.length > 0) return found.slice(0, 1);
  const names = running.map(({ session }) => session.name);
  throw new BadInput(unknownAgent(name, names));
}

/** An agent that cannot be recorded is skipped, unless it is the only one. */
async function startAll(
  targets: readonly RecordTarget[],
  out: string,
  keysWhole: boolean,
): Promise<{ name: string; recorder: Recorder }[]> {
  const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  const started: { name: string; recorder: Recorder }[] = [];
  for (const target of targets) {
    const { name } = target.session;
    const folder = freeFolder(out, `${folderName(name)}-${stamp}`);
    const recorder = make(target, folder, out, keysWhole);
    try {
      await recorder.start();
      started.push({ name, recorder });
    } catch (error) {
      await recorder.stop().catch(() => {});
      if (!(error instanceof BadInput) || targets.length === 1) throw error;
      process.stderr.write(`rouse: ${error.message}\n`);
    }
  }
  return started;
}

function make(target: RecordTarget, folder: string, out: string, keysWhole: boolean): Recorder {
  try {
    return new Recorder(target, folder, { by: readVersion(), keysWhole });
  } catch (error) {
    throw new BadInput(
      `cannot record into ${JSON.stringify(out)} (${(error as Error).message}): give --out a writable folder`,
    );
  }
}

const FOLDER_BYTES_MAX = 120;

/** Keeps letters and digits of any script; replaces characters that are special in a shell or a path. */
export function folderName(name: string): string {
  let safe = "";
  for (const letter of name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_.-]/gu, "_")) {
    if (Buffer.byteLength(safe + letter) > FOLDER_BYTES_MAX) break;
    safe += letter;
  }
  return safe;
}

function freeFolder(out: string, name: string): string {
  const path = join(out, name.startsWith(".") ? `_${name}` : name);
  for (let n = 2; ; n++) {
    const folder = n === 2 && !existsSync(path) ? path : `${path}-${n}`;
    if (!existsSync(folder)) return folder;
  }
}

type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const askedToEnd = (): Promise<EndSignal> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(signal));
  });

/** Until all agents end, a signal arrives, or the time is up. Returns the signal. */
function untilOver(
  all: readonly Promise<void>[],
  asked: Promise<EndSignal>,
  forMs: number | null,
): Promise<EndSignal | null> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<null>((resolve) => {
    if (forMs !== null) timer = setTimeout(() => resolve(null), forMs);
  });
  return Promise.race([Promise.all(all).then(() => null), asked, passed]).finally(() => clearTimeout(timer));
}

function recordedText(recorded: readonly Recording[]): string {
  return recorded
    .map(({ folder, contents, duration_secs, ended }) => {
      const what = contents.length > 0 ? contents.join(", ") : "nothing recorded";
      return `${folder}: ${what}; ${duration_secs} s${ended ? ", until it ended" : ""}\n`;
    })
    .join("");
}
