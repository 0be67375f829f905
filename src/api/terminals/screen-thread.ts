/**
 * The thread that draws the terminals which the dashboard shows: what an agent prints must not keep the daemon from judging.
 * A terminal is sent at most ten times a second, whatever the program writes.
 */
import { parentPort } from "node:worker_threads";
import { BoundedTerminal } from "../../readers/terminal/bounded-terminal.js";
import { type ScreenFrame, ScreenFrames } from "./screen-frames.js";

export type ToThread =
  | { do: "open"; id: string; cols: number; rows: number }
  | { do: "output"; id: string; data: Uint8Array }
  /** A reconnected source: the next output starts with the whole screen. */
  | { do: "reset"; id: string; cols: number; rows: number }
  | { do: "size"; id: string; cols: number; rows: number }
  | { do: "whole"; id: string }
  | { do: "close"; id: string };

export type FromThread =
  | ({ kind: "frame"; id: string; full: boolean } & ScreenFrame)
  /** So many bytes of output were read. */
  | { kind: "read"; id: string; bytes: number };

const EVERY_MS = 100;

class DrawnTerminal {
  bounded: BoundedTerminal;
  frames: ScreenFrames;
  isDirty = false;
  wantsWhole = true;

  constructor(size: { cols: number; rows: number }) {
    this.bounded = new BoundedTerminal(size, 0);
    this.frames = new ScreenFrames(this.bounded.terminal);
  }
}

const port = parentPort;
const terminals = new Map<string, DrawnTerminal>();
const send = (message: FromThread): void => port?.postMessage(message);

port?.on("message", (message: ToThread) => {
  const { id } = message;
  if (message.do === "open" || message.do === "reset") {
    terminals.get(id)?.bounded.dispose();
    terminals.set(id, new DrawnTerminal(message));
    return;
  }
  const terminal = terminals.get(id);
  if (!terminal) return;
  if (message.do === "output") {
    terminal.bounded.write(message.data);
    terminal.isDirty = true;
    send({ kind: "read", id, bytes: message.data.length });
  } else if (message.do === "size") {
    terminal.bounded.resize(message);
    terminal.bounded.fit();
    terminal.isDirty = true;
  } else if (message.do === "whole") terminal.wantsWhole = true;
  else {
    terminal.bounded.dispose();
    terminals.delete(id);
  }
});

setInterval(() => {
  for (const [id, terminal] of terminals) {
    terminal.bounded.refill();
    if (terminal.wantsWhole) {
      send({ kind: "frame", id, full: true, ...terminal.frames.whole() });
    } else if (terminal.isDirty) {
      const changed = terminal.frames.changes();
      if (changed) send({ kind: "frame", id, full: changed.full, ...changed.frame });
    }
    terminal.wantsWhole = false;
    terminal.isDirty = false;
  }
}, EVERY_MS);
