// Runs in its own pid namespace (see recycled-pid.test.ts): an agent dies at some moment of an action, and its number
// is given to another process at once. Prints how often that happened, and what the other process, or the shell that
// has the pane back, received.
//
//   node recycled-agent.mjs host|tmux nudge|stop ROUNDS FOLDER
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rousePaths } from "../../dist/config/paths.js";
import { carryOut } from "../../dist/effects/index.js";
import { openTerminal } from "../../dist/effects/keys/open-terminal.js";
import { profileFor } from "../../dist/programs/registry.js";
import { identityOf } from "../../dist/sensors/process/process-sensor.js";
import { listSessions } from "../../dist/terminal/registry.js";
import { startHost } from "../../dist/terminal/start-host.js";

const [way, action, rounds, folder] = process.argv.slice(2);
const ROUNDS = Number(rounds);
/** The duration of an undisturbed action. */
const LASTS_MS = { nudge: 1200, stop: 1500 }[action];
const DEADLINE_MS = 8000;
const PATIENCE_MS = 60_000;
const TRIES = 4;

const env = { ...process.env, ROUSE_HOME: folder };
const paths = rousePaths(env);
const socket = join(folder, "tmux");
const tmux = (...args) =>
  execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", socket, ...args], { encoding: "utf8" }).trim();

async function until(what, isSo) {
  for (const end = Date.now() + PATIENCE_MS; !isSo(); await sleep(5)) if (Date.now() > end) throw new Error(what);
}

const MAIN = join(import.meta.dirname, "..", "fake-agent", "main.mjs");

/** An agent at its prompt, or one that ignores the request to end. */
function commandOf(place) {
  if (action === "stop") return ["env", "--ignore-signal=TERM", "sleep", "1000"];
  symlinkSync(process.execPath, join(place, "claude"));
  const script = { steps: [{ do: "idle" }, { do: "hang" }], log: join(place, "received") };
  writeFileSync(join(place, "script.json"), JSON.stringify(script));
  return [join(place, "claude"), MAIN, join(place, "script.json")];
}

const shared = { kind: "claude-code", tags: [], task: null, policy: null };

async function inHost(name, place) {
  const spec = { wanted: name, ...shared, origin: "spawn", command: commandOf(place), workspace: place };
  const script = join(import.meta.dirname, "..", "..", "dist", "cli", "commands", "host.js");
  const { error } = await startHost({ spec, cols: 110, rows: 34 }, { script, paths, env });
  if (error !== undefined) throw new Error(error);
  return listSessions(paths).find((one) => one.name === name);
}

/** Keeps the input of the shell that the pane becomes. */
const AROUND = 'set -m; "$@"; stty sane; while IFS= read -r line; do echo "$line" >>entered; done';

async function inPane(name, place) {
  const command = commandOf(place);
  tmux("new-session", "-d", "-s", name, "-c", place, "-x", "110", "-y", "34", "sh", "-c", AROUND, "sh", ...command);
  const [shell, id] = tmux("list-panes", "-t", name, "-F", "#{pane_pid} #{pane_id}").split(" ");
  const children = () => readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim();
  await until("the agent to start", () => children() !== "");
  const pid = Number(children());
  // `env` has replaced itself with the named program.
  const isItself = () => existsSync(`/proc/${pid}/comm`) && readFileSync(`/proc/${pid}/comm`, "utf8") !== "sh\n";
  await until("the agent to be itself", isItself);
  const pane = { socket, id };
  const at = { pid, pidStart: identityOf(pid), startedAt: Date.now(), hostSocket: null, pane, endedAt: null };
  return { session: name, name, ...shared, origin: "tmux", command, workspace: place, ...at };
}

/** A nudge needs a prompt, and a stop a process to end. Start times have steps of 10 ms. */
async function ready(agent) {
  if (action === "stop") return sleep(50);
  const terminal = openTerminal(agent, profileFor(agent.kind));
  let composer = null;
  for (const end = Date.now() + PATIENCE_MS; composer !== "empty" && Date.now() < end; await sleep(50))
    composer = (await terminal.check()).sight?.screenState.composer ?? null;
  terminal.close();
}

const world = {
  now: Date.now,
  sleep,
  evidence: () => null,
  assessment: () => null,
  transcript: () => null,
  paths,
  profileOf: profileFor,
  quietMs: 0,
};
const actionOf = (agent) => ({
  id: "a",
  do: action,
  incident: "i",
  agent: agent.name,
  session: agent.session,
  problem: "silent_stream",
  attempt: 1,
  deadlineMs: DEADLINE_MS,
  proof: "none",
  waitMs: 0,
  say: "continue",
});

/** Ends the process and gives its number to another one; null if a third process took the number. */
async function recycle(pid) {
  process.kill(pid, "SIGKILL");
  await until("the number to be free", () => !existsSync(`/proc/${pid}`));
  for (let tries = 0; tries < TRIES && !existsSync(`/proc/${pid}`); tries++) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1));
    const other = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
    if (other.pid === pid) return other;
    other.kill("SIGKILL");
  }
  return null;
}

let recycled = 0;
const harm = [];
const outcomes = {};
for (let round = 0; round < ROUNDS * 3 && recycled < ROUNDS; round++) {
  const name = `agent-${round}`;
  const place = join(folder, name);
  mkdirSync(place);
  const agent = await (way === "host" ? inHost : inPane)(name, place);
  await ready(agent);
  const pending = carryOut(actionOf(agent), agent, world);
  await sleep(((recycled + Math.random()) / ROUNDS) * LASTS_MS);
  const other = await recycle(agent.pid).catch((error) => String(error));
  const { result, reason } = await pending;
  outcomes[result] = (outcomes[result] ?? 0) + 1;
  if (other === null) continue;
  if (typeof other === "string") {
    harm.push(other);
    break;
  }
  recycled++;
  if (identityOf(other.pid) === null || other.signalCode !== null) harm.push(`another process was ended: ${reason}`);
  const entered = join(place, "entered");
  if (existsSync(entered)) harm.push(`the shell was told ${readFileSync(entered, "utf8")}: ${reason}`);
  if (reason === "") harm.push("no reason");
  other.kill("SIGKILL");
}
process.stdout.write(`${JSON.stringify({ recycled, harm, outcomes })}\n`);
process.exit(0);
