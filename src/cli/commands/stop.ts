/** `rouse stop`: ends an agent that rouse started, with all its processes, and reports whether any is left. */
import { constants } from "node:os";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/files.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { askHostProcess } from "../../terminal/ask.js";
import type { FoundSession } from "../../terminal/registry.js";
import { type StopResult, stopTree } from "../../terminal/stop-tree.js";
import { isFleetName } from "../fleet-name.js";
import { overText, sessionNamed } from "../host-client.js";
import { permit } from "../permit.js";

const GRACE_SECONDS = 10;
/** A host answers when the agent is gone, at the latest 5 s after the grace period. */
const ANSWER_MS = 8000;

export function addStop(program: Command, setExit: (code: number) => void): void {
  program
    .command("stop")
    .summary("Stop an agent and all processes it started")
    .description("Send SIGTERM to an agent that rouse started, wait, then kill it and its child processes.")
    .argument("<agent>", "name of the agent, or NAME@NODE for another machine of the fleet")
    .option("--grace <seconds>", "time to wait before killing it", parseSeconds, GRACE_SECONDS)
    .option("--json", "print JSON")
    .action(async (name, options) => {
      if (isFleetName(name)) {
        const { sendCommand } = await import("../send-command.js");
        return void ((await sendCommand({ agent: name, verb: "stop" }, options.json)) || setExit(1));
      }
      const session = await sessionNamed(name, "cannot stop it");
      const { finish } = await permit("local_stop", { agent: session.id });
      const graceMs = options.grace * 1000;
      const wontWait = explainInterrupt(session, graceMs);
      process.once("SIGINT", wontWait);
      const stopped = await stop(session, graceMs).catch(async (error: Error) => {
        await finish("failed", error.message);
        throw error;
      });
      await finish(stopped.isGone ? "done" : "failed", `processes: ${stopped.processes}, left: ${stopped.left.length}`);
      process.off("SIGINT", wontWait);
      if (options.json)
        process.stdout.write(`${sanitizedJson({ name: session.name, session: session.id, ...stopJson(stopped) })}\n`);
      else process.stdout.write(`${sentence(session.name, stopped)}\n`);
      if (!stopped.isGone) setExit(1);
    });
}

/** Ctrl-C ends only the wait: the signal is sent, and the host of the agent completes the stop. */
function explainInterrupt({ name, isAlive }: FoundSession, graceMs: number): () => void {
  const began = performance.now();
  return () => {
    const left = Math.ceil(Math.max(0, graceMs - (performance.now() - began)) / 1000);
    const follows = isAlive ? `it is killed in ${left} s if it is still running` : "it is not killed";
    process.stderr.write(`rouse: SIGTERM was already sent to ${name}; ${follows}\n`);
    process.exit(128 + constants.signals.SIGINT);
  };
}

async function stop(session: FoundSession, graceMs: number): Promise<StopResult> {
  const { hostSocket, pid, pidStart } = session;
  const began = performance.now();
  if (session.isAlive && hostSocket !== null) {
    const asked = await askHostProcess(hostSocket, { op: "stop", graceMs }, "stopped", graceMs + ANSWER_MS);
    if (asked.kind === "answer") return asked.event as unknown as StopResult;
    if (asked.kind === "error") throw new BadInput(asked.reason);
  }
  // The host is gone, which sends the agent a SIGHUP that it may ignore, or it does not answer.
  if (pid === null || pidStart === null || identityOf(pid) !== pidStart) throw new BadInput(overText(session));
  const leftMs = Math.max(0, graceMs - (performance.now() - began));
  return stopTree({ pid, start: pidStart, ownsGroup: true }, leftMs);
}

const stopJson = ({ isGone, isKilled, processes, left }: StopResult) => ({
  stopped: isGone,
  killed: isKilled,
  processes,
  leftovers: left,
});

function sentence(name: string, { isGone, isKilled, processes, left }: StopResult): string {
  if (!isGone)
    return `could not stop ${name}: ${left.length} ${left.length === 1 ? "process is" : "processes are"} still running (${left.slice(0, 10).join(", ")})`;
  const count = processes === 1 ? "1 process" : `${processes} processes`;
  return `${isKilled ? "Killed" : "Stopped"} ${name} (${count}, none left${isKilled ? "; it ignored SIGTERM" : ""}).`;
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= 600) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds from 0 to 600.");
}
