/**
 * `rouse run`: the agent in this terminal, transparently. Keys and output pass unchanged; size, signals and Ctrl-Z are
 * forwarded; the outer terminal answers the agent's queries, rouse answers none.
 */

import { Host } from "./host.js";
import type { HostOptions } from "./host-options.js";
import { JobControl } from "./job-control.js";
import { stoppableCommand } from "./job-keeper.js";
import { OuterTerminal } from "./outer-terminal.js";
import { Pty, type PtyExit } from "./pty.js";

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** Beyond this backlog a slow terminal blocks the agent, as it would without rouse. */
const BEHIND_BYTES = 1024 * 1024;
/** Time to report the end of a run: a running daemon needs a few milliseconds, a starting one some hundred. */
const CLOSE_MS = 1000;
const LATE_CLOSE_MS = 100;
const YOUNG_MS = 5000;

export type ForegroundOptions = Omit<HostOptions, "cols" | "rows" | "pixels" | "output" | "open">;

/** Throws if the agent cannot get a terminal; nothing was started then. */
export async function runForeground(options: ForegroundOptions): Promise<PtyExit> {
  const { stdin, stdout } = process;
  const terminal = new OuterTerminal();
  const startedAt = performance.now();
  let isKept = false;
  const pixels = terminal.pixels();
  const host = new Host({
    ...options,
    ...terminal.size(),
    pixels,
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
    host.resize(cols, rows, pixels && terminal.pixels());
  };
  const hangUp = (): void => host.kill("SIGHUP", "group");
  const jobs = new JobControl(
    host,
    terminal,
    () => {
      // The kernel sends SIGWINCH to the foreground job, so changes during the suspension went to the shell.
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
  // A failure outside of the data path ends the watching, not the agent.
  const failed = (error: unknown): void => {
    options.log(
      `observation stopped; the agent keeps running: ${error instanceof Error ? error.stack : String(error)}`,
    );
    host.stopWatching();
  };

  process.on("uncaughtException", failed);
  process.on("SIGHUP", hangUp);
  for (const { signal, pass } of passedOn) process.on(signal, pass);
  // Node.js reports no `resize` if only the pixels change. Its own listener, which reads the new size, comes first.
  process.on("SIGWINCH", resize);
  stdout.prependListener("error", hangUp);
  stdin.on("data", keys);
  stdin.on("end", hangUp);
  stdin.on("error", hangUp);
  terminal.enter();
  const exit = await host.exited;
  stdin.off("data", keys);
  jobs.close();
  // A killed program could not restore the terminal modes.
  if (exit.signal !== null) stdout.write(host.ring.modes.undo());
  terminal.close();
  // A kill or an early end is worth a second of waiting to report it.
  const isWorthIt = exit.signal !== null || performance.now() - startedAt < YOUNG_MS;
  const patience = isWorthIt ? CLOSE_MS : LATE_CLOSE_MS;
  await host.close(exit, patience);
  return exit;
}
