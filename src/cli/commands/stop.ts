/** `rouse stop`: ends an agent that rouse started, with everything that it started, and says whether that is proven. */
import { constants } from "node:os";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/files.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { FoundSession } from "../../terminal/registry.js";
import { type StopResult, stopTree } from "../../terminal/stop-tree.js";
import { askHost, sessionNamed } from "../host-client.js";

const GRACE_SECONDS = 10;

export function addStop(program: Command, setExit: (code: number) => void): void {
  program
    .command("stop")
    .summary("end an agent and everything that it started")
    .description("Asks an agent that rouse started to end (SIGTERM), waits, then kills it and its children.")
    .argument("<agent>", "its name")
    .option("--grace <seconds>", "how long it may take to end by itself", parseSeconds, GRACE_SECONDS)
    .option("--json", "what happened, for programs")
    .action(async (name, options) => {
      const session = await sessionNamed(name);
      const graceMs = options.grace * 1000;
      const wontWait = tellingWhatFollows(session, graceMs);
      process.once("SIGINT", wontWait);
      const stopped = await stop(session, graceMs);
      process.off("SIGINT", wontWait);
      if (options.json)
        process.stdout.write(`${sanitizedJson({ name: session.name, session: session.id, ...stopped })}\n`);
      else process.stdout.write(`${sentence(session.name, stopped)}\n`);
      if (!stopped.isGone) setExit(1);
    });
}

/** Whoever does not wait takes nothing back: the agent was asked already, and its host sees it through. */
function tellingWhatFollows({ name, isAlive }: FoundSession, graceMs: number): () => void {
  const began = performance.now();
  return () => {
    const left = Math.ceil(Math.max(0, graceMs - (performance.now() - began)) / 1000);
    const follows = isAlive ? `it is killed in ${left} s unless it ends before` : "it is not killed";
    process.stderr.write(`rouse: ${name} was asked to end and cannot be un-asked; ${follows}\n`);
    process.exit(128 + constants.signals.SIGINT);
  };
}

async function stop(session: FoundSession, graceMs: number): Promise<StopResult> {
  const { hostSocket, pid, pidStart } = session;
  if (session.isAlive && hostSocket !== null) {
    const answer = await askHost({ ...session, hostSocket }, { op: "stop", graceMs }, "stopped");
    return answer as unknown as StopResult;
  }
  // Its host is gone, which hangs the agent up; one that does not mind may live on.
  if (pid === null || pidStart === null || identityOf(pid) !== pidStart)
    throw new BadInput(`${session.name} is not running any more`);
  return stopTree({ pid, start: pidStart, ownsGroup: true }, graceMs);
}

function sentence(name: string, { isGone, isKilled, processes, left }: StopResult): string {
  if (!isGone)
    return `${name} could not be ended: ${left.length} of its processes are still there (${left.slice(0, 10).join(", ")})`;
  const count = processes === 1 ? "one process" : `${processes} processes`;
  return `${name} ${isKilled ? "did not end by itself and was killed" : "ended"}: ${count}, none left`;
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= 600) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds from 0 to 600.");
}
