/**
 * `rouse run`: the agent in this terminal, as if rouse were not there. Keys go in and bytes come out untouched; size,
 * signals and Ctrl-Z are passed on; the outer terminal answers what the agent asks, rouse nothing.
 */

import { Host } from "./host.js";
import type { HostOptions } from "./host-options.js";
import { JobControl } from "./job-control.js";
import { stoppableCommand } from "./job-keeper.js";
import { OuterTerminal } from "./outer-terminal.js";
import { Pty, type PtyExit } from "./pty.js";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** A terminal that takes so little holds the agent up, as it would without rouse. */
const BEHIND_BYTES = 1024 * 1024;
/** How long the end of a run may take to reach the daemon: one that answers takes a few, one that starts up some hundred. */
const FAREWELL_MS = 1000;
const LATE_FAREWELL_MS = 100;
const YOUNG_MS = 5000;

export type ForegroundOptions = Omit<HostOptions, "cols" | "rows" | "output" | "open">;

/** Throws when the agent cannot have a terminal; nothing was started then. */
export async function runForeground(options: ForegroundOptions): Promise<PtyExit> {
  const { stdin, stdout } = process;
  const terminal = new OuterTerminal();
  const startedAt = performance.now();
  let isKept = false;
  const host = new Host({
    ...options,
    ...terminal.size(),
    open: (program, events) => {
      const started = stoppableCommand(program);
      isKept = started.isKept;
      return new Pty({ ...program, command: started.command, env: started.env }, events);
    },
    output: (bytes) => {
      stdout.write(bytes);
      if (stdout.writableLength > BEHIND_BYTES) holdBack();
      return stdout.writableLength > 0;
    },
  });
  const holdBack = (): void => {
    host.pause();
    stdout.once("drain", () => host.resume());
  };
  const resize = (): void => {
    const { cols, rows } = terminal.size();
    host.resize(cols, rows);
  };
  const hangUp = (): void => host.kill("SIGHUP", "group");
  const jobs = new JobControl(
    host,
    terminal,
    () => {
      // A new size is told to the job in front: what happened in the meantime went to the shell.
      process.emit("SIGWINCH", "SIGWINCH");
      resize();
    },
    isKept,
  );
  const keys = (bytes: Buffer): void => {
    if (!jobs.keys(bytes) || host.input(bytes)) return;
    stdin.pause();
    host.onDrain(() => stdin.resume());
  };
  const passedOn = PASSED_ON.map((signal) => ({ signal, pass: (): void => host.kill(signal, "agent") }));
  // Whatever fails outside of the way of the bytes costs the watching, not the agent.
  const failed = (error: unknown): void => {
    options.log(`watching stopped; the agent runs on: ${error instanceof Error ? error.stack : String(error)}`);
    host.stopWatching();
  };

  process.on("uncaughtException", failed);
  process.on("SIGHUP", hangUp);
  for (const { signal, pass } of passedOn) process.on(signal, pass);
  stdout.on("resize", resize);
  stdout.prependListener("error", hangUp);
  stdin.on("data", keys);
  stdin.on("end", hangUp);
  stdin.on("error", hangUp);
  terminal.enter();
  const exit = await host.exited;
  stdin.off("data", keys);
  jobs.close();
  // A program that was killed could not put the terminal in order.
  if (exit.signal !== null) stdout.write(host.ring.modes.undo());
  terminal.close();
  // That it was killed is worth a second to whoever has to hear of it.
  const isWorthIt = exit.signal !== null || performance.now() - startedAt < YOUNG_MS;
  const patience = isWorthIt ? FAREWELL_MS : LATE_FAREWELL_MS;
  await host.close(exit, patience);
  return exit;
}
