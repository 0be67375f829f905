/** Sources for the terminal of a recording: the host of the agent, or the tmux server. */

import { PollLink } from "../../../sensors/tmux/link.js";
import type { FoundSession } from "../../../terminal/registry.js";
import { bytesOf, HostClient } from "../../host-client.js";

export interface TerminalEvents {
  output(bytes: Buffer): void;
  keys(bytes: Buffer): void;
  size(cols: number, rows: number): void;
  /** Null if the exit status is unknown. */
  ended(exit: { code: number | null; signal: number | null } | null): void;
}

export type StopFollowing = () => void;

const SIZE_EVERY_MS = 1000;
/** A full reset: the whole screen follows. */
const RESET = Buffer.from("\u001bc");

export async function followHost(
  session: FoundSession & { hostSocket: string },
  events: TerminalEvents,
): Promise<StopFollowing> {
  let snapshots = 0;
  let exit: { code: number | null; signal: number | null } | null = null;
  const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
  const take = (event: Record<string, unknown>): void => {
    const [cols, rows] = [number(event.cols), number(event.rows)];
    if (cols !== null && rows !== null) events.size(cols, rows);
    if (event.ev === "snapshot") {
      // A second snapshot means that output was skipped, because this client read too slowly.
      if (snapshots++ > 0) events.output(RESET);
      events.output(bytesOf(event));
    } else if (event.ev === "output") events.output(bytesOf(event));
    else if (event.ev === "input") events.keys(bytesOf(event));
    else if (event.ev === "exit") exit = { code: number(event.code), signal: number(event.signal) };
  };
  const client = await HostClient.connect(session, take, () => {
    clearInterval(asking);
    events.ended(exit);
  });
  client.send({ op: "logs", follow: true, keys: true });
  // The host does not announce a new size, so it is asked.
  const asking = setInterval(() => client.send({ op: "info" }), SIZE_EVERY_MS);
  return () => client.close();
}

const CHECK_EVERY_MS = 500;
/** Consecutive checks without the pane before it counts as gone; a failed check does not count. */
const MISSES_MAX = 6;
const ABOUT = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{pane_title}";

/** tmux renders the screen itself: each change is recorded as a full redraw. */
export function followPane(pane: { socket: string; id: string }, events: TerminalEvents): StopFollowing {
  const link = new PollLink(pane.socket);
  let [shown, misses, isChecking, isOver] = ["", 0, false, false];
  const end = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  const check = async (): Promise<void> => {
    const outcome = await link.run([
      ["display-message", "-p", "-t", pane.id, ABOUT],
      ["capture-pane", "-p", "-e", "-t", pane.id],
    ]);
    if (isOver) return;
    const [about, rows] = outcome.kind === "answer" ? outcome.replies : [];
    if (typeof about !== "string" || typeof rows !== "string") {
      if (outcome.kind === "failed" || ++misses < MISSES_MAX) return;
      end();
      events.ended(null);
      return;
    }
    misses = 0;
    const screen = drawn(about, rows, events);
    if (screen === shown) return;
    shown = screen;
    events.output(Buffer.from(screen));
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  }, CHECK_EVERY_MS);
  return end;
}

function drawn(about: string, rows: string, events: TerminalEvents): string {
  const [cols = 0, height = 0, x = 0, y = 0] = about.split(" ", 4).map(Number);
  const title = about.split(" ").slice(4).join(" ");
  if (cols >= 1 && height >= 1) events.size(cols, height);
  const lines = rows.split("\n").map((line, row) => `\u001b[${row + 1};1H${line}\u001b[0m`);
  return `\u001b]2;${title}\u0007\u001b[?7l\u001b[0m\u001b[2J${lines.join("")}\u001b[${y + 1};${x + 1}H`;
}
