/**
 * `rouse status --line`: all agents in one short line, for the status line of tmux and shell prompts. It runs every few
 * seconds and at every prompt: it starts as fast as `rouse report`, starts no daemon and never waits for one.
 *
 * tmux expands `#(…)` in the output of a command, zsh `%`, others `$`, backticks and backslashes; and an agent can have any
 * name. So only letters, digits and harmless characters of a name are kept.
 */
import { type RousePaths, rousePaths } from "../../config/paths.js";
import type { LineView } from "../../daemon/views/line.js";
import { sendRequest } from "../send.js";

const LIMIT_MS = 1000;
const NAMES_SHOWN = 3;
const NAME_MAX = 24;

export async function runStatusLine(args: readonly string[]): Promise<number> {
  const isQuiet = args.includes("--quiet");
  const strange = args.find((word) => word !== "--line" && word !== "--quiet");
  if (strange !== undefined) {
    process.stderr.write("rouse: status --line accepts no option but --quiet\n");
    return 2;
  }
  const paths = rousePaths();
  const { daemonSocket: socketPath } = paths;
  const answer = await sendRequest({ socketPath, method: "GET", path: "/v1/line", headers: {}, limitMs: LIMIT_MS });
  if (answer?.status === 200) {
    print(statusLineText(JSON.parse(answer.body) as LineView, isQuiet));
    return 0;
  }
  // The daemon reads its journal, or is another version.
  if (answer !== null) {
    if (!isQuiet)
      print(answer.status === 503 ? "rouse is starting" : "rouse was updated: run `rouse down` and `rouse up`");
    return 75;
  }
  // While agents run, no output would mean that they are healthy; after `rouse down` it is expected.
  if (!isQuiet || (await leavesAgentsAlone(paths))) print("rouse: daemon not running or not responding");
  return 69;
}

/** With `isQuiet`, only agents that are stalled or need the user; empty if there is none. */
export function statusLineText(view: LineView, isQuiet: boolean): string {
  const { ok, limited, until, recovering, stalled, acknowledged, needs_you, more } = view;
  const wanted = needs_you.length + more;
  const named = needs_you.slice(0, NAMES_SHOWN).map(({ name, why }) => `${wordOf(name)} (${wordOf(why)})`);
  const besides = wanted > named.length ? ` +${wanted - named.length}` : "";
  const calls = wanted > 0 ? [`${wanted} ${wanted === 1 ? "needs" : "need"} you: ${named.join(", ")}${besides}`] : [];
  const stalls = stalled > 0 ? [`${stalled} stalled`] : [];
  if (isQuiet) return [...stalls, ...calls].join(" · ");
  const parts = [
    ...(ok > 0 ? [`${ok} ok`] : []),
    ...(limited > 0 ? [`${limited} limited${until === null ? "" : ` until ${clock(until)}`}`] : []),
    ...(recovering > 0 ? [`${recovering} recovering`] : []),
    ...(acknowledged > 0 ? [`${acknowledged} acknowledged`] : []),
    ...stalls,
    ...calls,
  ];
  return parts.length > 0 ? parts.join(" · ") : "no agents";
}

function wordOf(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._@+/ -]/gu, "_");
  const letters = Array.from(safe);
  return letters.length > NAME_MAX ? `${letters.slice(0, NAME_MAX - 1).join("")}…` : safe;
}

function clock(iso: string): string {
  const at = new Date(iso);
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

async function leavesAgentsAlone(paths: RousePaths): Promise<boolean> {
  const { isMarkedStopped: isKeptDown } = await import("../../daemon/self/stay-down.js");
  if (isKeptDown(paths)) return false;
  const { listSessions } = await import("../../terminal/registry.js");
  return listSessions(paths).some(({ isAlive }) => isAlive);
}

function print(line: string): void {
  if (line === "") return;
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // The reader closed the pipe.
    if (code === "EPIPE") process.exit(0);
    process.stderr.write(`rouse: cannot write to standard output: ${message}\n`);
    process.exit(1);
  });
  process.stdout.write(`${line}\n`);
}
