/** `rouse record`: keeps what an agent shows and writes, as a case that `rouse replay` reads. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../../config/paths.js";
import { otherNames } from "../../../config/suggest.js";
import { sanitizedJson } from "../../../core/text/sanitize.js";
import { BadInput } from "../../../replay/files.js";
import { type FoundSession, listSessions } from "../../../terminal/registry.js";
import { call } from "../../client.js";
import { parseDuration } from "../../since.js";
import { readVersion } from "../../version.js";
import { Recorder, type Recording, type RecordTarget } from "./recorder.js";

export function addRecord(program: Command, setExit: (code: number) => void): void {
  program
    .command("record")
    .summary("record an agent into a folder that rouse replay reads")
    .description(
      "Keeps the terminal, the transcripts and samples of the process, with secrets replaced by asterisks, until\n" +
        "Ctrl-C or until the agent ends. Prints the folder of each.\n" +
        "Of what is typed it keeps when, how many keys and which (Enter, Escape, arrows, Ctrl-C), but no text: people\n" +
        "type passwords. --keys keeps the text too. Keys typed into a tmux pane of your own are not seen.",
    )
    .argument("[agent]", "its name")
    .option("--all", "every agent that runs now")
    .option("--out <dir>", "where the folders go", "recordings")
    .option("--for <duration>", "end by itself after so long: 90s, 10m, 8h", parseDuration)
    .option(
      "--keys",
      "keep the text of what is typed, too; of its secrets only those are hidden that are known by their form",
    )
    .option("--json", "for programs")
    .action(async (name, options, command) => {
      if ((name === undefined) === (options.all !== true))
        command.error("error: give the name of one agent, or --all", { exitCode: 2 });
      const targets = wanted(await runningAgents(), name);
      // Before anything is recorded: who ends it while it starts gets a whole recording too.
      const asked = askedToEnd();
      const started = await startAll(targets, options.out, options.keys === true);
      if (!options.json)
        process.stderr.write(`recording ${started.map(({ name: n }) => n).join(", ")}; Ctrl-C ends it\n`);
      await untilOver(
        started.map(({ recorder }) => recorder.ended),
        asked,
        options.for ?? null,
      );
      const recorded = await Promise.all(started.map(({ recorder }) => recorder.stop()));
      process.stdout.write(options.json ? `${sanitizedJson({ recordings: recorded })}\n` : recordedText(recorded));
      if (recorded.length < targets.length || recorded.some(({ holds }) => holds.length === 0)) setExit(1);
    });
}

/** From the daemon, and from the hosts themselves where none runs. */
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
  return [...sessions, ...hosts.filter(({ id: session }) => !known.has(session))].map((session) => ({
    session,
    version: versions.get(session.id) ?? null,
    host: hostOf(session.id),
  }));
}

function withSocket(found: FoundSession | undefined): RecordTarget["host"] {
  return found && found.hostSocket !== null ? { ...found, hostSocket: found.hostSocket } : null;
}

function wanted(running: readonly RecordTarget[], name: string | undefined): RecordTarget[] {
  if (running.length === 0) throw new BadInput("no agent is running");
  if (name === undefined) return [...running];
  const found = running.filter(({ session }) => session.name === name || session.id === name);
  if (found.length > 0) return found.slice(0, 1);
  const names = running.map(({ session }) => session.name);
  throw new BadInput(`no agent called ${JSON.stringify(name.slice(0, 80))} is running; ${otherNames(name, names)}`);
}

/** One that cannot be recorded costs itself only; alone, it is the answer. */
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
      `nothing can be recorded into ${JSON.stringify(out)} (${(error as Error).message}): give --out a folder that you can write to`,
    );
  }
}

const FOLDER_BYTES_MAX = 120;

/** Letters and digits of any script stay; what a shell or a path would read otherwise does not. */
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

const askedToEnd = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });

/** All ended, somebody asked for the end, or the time is over. */
function untilOver(all: readonly Promise<void>[], asked: Promise<void>, forMs: number | null): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    if (forMs !== null) timer = setTimeout(resolve, forMs);
  });
  return Promise.race([Promise.all(all), asked, passed]).finally(() => clearTimeout(timer));
}

function recordedText(recorded: readonly Recording[]): string {
  return recorded
    .map(({ folder, holds, secs, ended }) => {
      const what = holds.length > 0 ? holds.join(", ") : "nothing could be seen";
      return `${folder}: ${what}; ${secs} s${ended ? ", until it ended" : ""}\n`;
    })
    .join("");
}
