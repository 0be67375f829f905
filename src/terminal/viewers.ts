/**
 * The host's socket: clients that show the agent (`attach`, `logs`), type into it or stop it. Several viewers may be
 * connected and see the same bytes. A viewer that reads too slowly is skipped until it has caught up, and then gets the
 * current screen: it delays no other viewer. Only this user can reach the socket (folder 0700, socket 0600).
 */
import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Keys, Precondition } from "../core/policy/typing-checks.js";
import { AnswerFilter } from "./answers.js";
import { askHostProcess } from "./ask.js";
import { FrameReader, type FromHost, frameLine, type PressAnswer, type ScreenAnswer, type TypedBy } from "./frames.js";
import type { RefusedKeys } from "./key-clients.js";
import type { LeftBy } from "./leave.js";
import { keysOf, preconditionOf } from "./order.js";
import { removeDeadSocket } from "./registry.js";
import type { Ring } from "./ring.js";
import type { StopResult } from "./stop-tree.js";

/** Operations of the host for viewers. */
export interface ViewedHost {
  readonly ring: Ring;
  size(): { cols: number; rows: number };
  input(bytes: Buffer): void;
  /** The smallest size of all attached viewers, so that each sees everything; null after the last one left. */
  viewed(size: { cols: number; rows: number } | null): void;
  type(text: string, enter: boolean): Promise<number>;
  notify(text: string): Promise<number>;
  check(): ScreenAnswer;
  /** The text of the screen; null if it is unknown. */
  rows(): string[] | null;
  press(keys: Keys, precondition: Precondition, by: TypedBy): PressAnswer;
  /** Why this client may not press keys without a check of the screen; null if it may. */
  checkKeys(client: Socket): Promise<RefusedKeys | null>;
  keysRefused(order: "attach" | "type", text: string, refusal: RefusedKeys): void;
  stop(graceMs: number, by: LeftBy | "rouse"): Promise<StopResult>;
  info(): Record<string, unknown>;
}

interface Viewer {
  socket: Socket;
  answers: AnswerFilter;
  mode: "asking" | "attached" | "logs";
  /** Also receives the typed bytes. */
  keys: boolean;
  size: { cols: number; rows: number } | null;
  isBehind: boolean;
  /** Looked up when it attaches or types. */
  refusal: Promise<RefusedKeys | null> | null;
}

const VIEWERS_MAX = 64;
const BEHIND_BYTES = 4 * 1024 * 1024;
const GRACE_MS = 10_000;
const GRACE_MS_MAX = 600_000;
const CLOSE_MS = 1000;

export class Viewers {
  readonly #host: ViewedHost;
  readonly #path: string;
  readonly #server: Server;
  readonly #viewers = new Set<Viewer>();
  #work = new Set<Promise<unknown>>();

  constructor(path: string, host: ViewedHost, failed: (error: unknown) => void) {
    this.#host = host;
    this.#path = path;
    removeDeadSocket(path);
    this.#server = createServer((socket) => this.#welcome(socket));
    this.#server.on("error", failed);
    this.#server.listen(path, () => {
      try {
        chmodSync(path, 0o600);
      } catch (error) {
        failed(error);
      }
    });
  }

  get count(): number {
    return [...this.#viewers].filter((viewer) => viewer.mode === "attached").length;
  }

  /** Sends output to all viewers. */
  show(bytes: Buffer): void {
    this.#send("output", bytes, ({ mode }) => mode !== "asking");
  }

  /** Sends output to the attached terminals only; returns their number. */
  ring(bytes: Buffer): number {
    this.#send("output", bytes, ({ mode }) => mode === "attached");
    return this.count;
  }

  /** Reports a new size to the viewers without a terminal of their own. */
  resized(size: { cols: number; rows: number }): void {
    const text = frameLine({ ev: "size", ...size });
    for (const { mode, socket } of this.#viewers) if (mode === "logs") socket.write(text);
  }

  /** Sends typed bytes to the viewers that requested them. */
  typed(bytes: Buffer): void {
    this.#send("input", bytes, ({ keys }) => keys);
  }

  #send(ev: "output" | "input", bytes: Buffer, isFor: (viewer: Viewer) => boolean): void {
    if (this.#viewers.size === 0) return;
    let text: string | null = null;
    for (const viewer of this.#viewers) {
      if (viewer.isBehind || !isFor(viewer)) continue;
      if (viewer.socket.writableLength > BEHIND_BYTES) {
        viewer.isBehind = true;
        continue;
      }
      text ??= frameLine({ ev, data: bytes.toString("base64") });
      viewer.socket.write(text);
    }
  }

  /** Finishes the pending requests, sends the exit to all viewers, and closes. */
  async close(exit: { code: number | null; signal: number | null }): Promise<void> {
    // Accepts pending connections first: a refused client could not know whether its request was received. The host's
    // own request is the last in that queue.
    const last = askHostProcess(this.#path, { op: "info" }, "info", CLOSE_MS);
    removeDeadSocket(this.#path);
    await last;
    this.#server.close();
    await Promise.allSettled(this.#work);
    const closed = [...this.#viewers].map(
      (viewer) =>
        new Promise<void>((resolve) => {
          const late = setTimeout(() => viewer.socket.destroy(), CLOSE_MS);
          viewer.socket.once("close", () => {
            clearTimeout(late);
            resolve();
          });
          viewer.socket.end(frameLine({ ev: "exit", ...exit }));
        }),
    );
    await Promise.all(closed);
  }

  #welcome(socket: Socket): void {
    if (this.#viewers.size >= VIEWERS_MAX) {
      socket.end(frameLine({ ev: "error", text: `${VIEWERS_MAX} viewers are already connected` }));
      return;
    }
    const viewer: Viewer = {
      socket,
      answers: new AnswerFilter(),
      mode: "asking",
      keys: false,
      size: null,
      isBehind: false,
      refusal: null,
    };
    const frames = new FrameReader();
    this.#viewers.add(viewer);
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#viewers.delete(viewer);
      if (viewer.size) this.#tellSize();
    });
    socket.on("drain", () => {
      if (!viewer.isBehind) return;
      viewer.isBehind = false;
      this.#snapshot(viewer);
    });
    socket.on("data", (chunk: string) => {
      try {
        for (const message of frames.read(chunk)) this.#obey(viewer, message);
      } catch (error) {
        socket.end(frameLine({ ev: "error", text: (error as Error).message.slice(0, 200) }));
      }
    });
  }

  #obey(viewer: Viewer, message: Record<string, unknown>): void {
    const { op } = message;
    const operation = typeof op === "string" && Object.hasOwn(this.#operations, op) ? this.#operations[op] : undefined;
    if (operation) operation(viewer, message);
    else viewer.socket.write(frameLine({ ev: "error", text: "unknown operation" }));
  }

  readonly #operations: Record<string, (viewer: Viewer, message: Record<string, unknown>) => void> = {
    attach: (viewer, message) => {
      viewer.mode = "attached";
      viewer.size = sizeOf(message);
      void this.#refusalOf(viewer);
      this.#tellSize();
      this.#snapshot(viewer);
    },
    resize: (viewer, message) => {
      if (viewer.mode !== "attached") return;
      viewer.size = sizeOf(message);
      this.#tellSize();
    },
    input: (viewer, { data }) => {
      if (viewer.mode !== "attached" || typeof data !== "string") return;
      const keys = viewer.answers.keys(Buffer.from(data, "base64"));
      if (keys.length > 0) this.#withKeys(viewer, "attach", "", () => this.#host.input(keys));
    },
    type: (viewer, { text: given, enter }) => {
      const text = typeof given === "string" ? given : "";
      this.#withKeys(viewer, "type", text, () => {
        const typed = this.#host.type(text, enter !== false);
        this.#answer(viewer, typed, (bytes) => ({ ev: "typed", bytes }));
      });
    },
    stop: (viewer, { graceMs, by }) => {
      const asked = typeof graceMs === "number" && graceMs >= 0 ? Math.min(graceMs, GRACE_MS_MAX) : GRACE_MS;
      this.#answer(viewer, this.#host.stop(asked, by === "rouse" || by === "client" ? by : "human"), (stopped) => ({
        ev: "stopped",
        ...stopped,
      }));
    },
    logs: (viewer, { follow, keys, until }) => {
      if (typeof until === "number") {
        this.#snapshotOf(viewer, this.#host.ring.before(until), true);
        return;
      }
      if (follow === true) viewer.mode = "logs";
      viewer.keys = follow === true && keys === true;
      this.#snapshot(viewer, follow !== true);
    },
    notify: (viewer, { text }) => {
      const step = this.#host.notify(typeof text === "string" ? text : "");
      this.#answer(viewer, step, (terminals) => ({ ev: "notified", terminals }));
    },
    check: (viewer) => {
      viewer.socket.write(frameLine({ ev: "check", ...this.#host.check() }));
    },
    rows: (viewer) => {
      viewer.socket.write(frameLine({ ev: "rows", rows: this.#host.rows() }));
    },
    press: (viewer, message) => {
      const keys = keysOf(message.keys);
      const precondition = preconditionOf(message.precondition);
      const by = message.by === "client" ? "client" : "rouse";
      const reported =
        keys && precondition
          ? this.#host.press(keys, precondition, by)
          : { bytes: 0, reason: "the request is malformed" };
      viewer.socket.write(frameLine({ ev: "pressed", ...reported }));
    },
    info: (viewer) => {
      // After the keys that it sent before: they are lost if the client leaves while it is looked up.
      const keys = Promise.resolve(viewer.refusal);
      this.#answer(viewer, keys, () => ({ ...this.#host.info(), ev: "info" }));
    },
  };

  /** In the order of the requests. */
  #withKeys(viewer: Viewer, order: "attach" | "type", text: string, press: () => void): void {
    const pressed = this.#refusalOf(viewer).then((refusal) => {
      if (refusal === null) return press();
      this.#host.keysRefused(order, text, refusal);
      viewer.socket.write(frameLine({ ev: "error", text: refusal.reason }));
    });
    this.#work.add(pressed);
    void pressed.finally(() => this.#work.delete(pressed));
  }

  /** A client that could not be found, on a starved machine, is looked up again with its next keys. */
  #refusalOf(viewer: Viewer): Promise<RefusedKeys | null> {
    const look = (): Promise<RefusedKeys | null> =>
      this.#host.checkKeys(viewer.socket).catch(({ message }: Error) => ({ by: null, reason: message.slice(0, 200) }));
    viewer.refusal = viewer.refusal?.then((refusal) => (refusal?.by === null ? look() : refusal)) ?? look();
    return viewer.refusal;
  }

  #answer<T>(viewer: Viewer, work: Promise<T>, toFrame: (value: T) => FromHost): void {
    const reported = work.then(
      (value) => viewer.socket.write(frameLine(toFrame(value))),
      (error: Error) => viewer.socket.write(frameLine({ ev: "error", text: error.message.slice(0, 200) })),
    );
    this.#work.add(reported);
    void reported.finally(() => this.#work.delete(reported));
  }

  #snapshot(viewer: Viewer, last = false): void {
    const { ring } = this.#host;
    const head = viewer.mode === "attached" ? `\u001b[0m\u001b[2J\u001b[H${ring.modes.restore()}` : "";
    this.#snapshotOf(viewer, ring.tail(ring.size), last, head);
  }

  #snapshotOf(viewer: Viewer, bytes: Buffer | null, last: boolean, head = ""): void {
    const { ring } = this.#host;
    if (bytes === null) {
      viewer.socket.end(frameLine({ ev: "error", text: "the output of that time is no longer kept" }));
      return;
    }
    const data = Buffer.concat([Buffer.from(head), wholeFrom(bytes, ring.total > ring.size)]);
    const text = frameLine({ ev: "snapshot", data: data.toString("base64"), ...this.#host.size() });
    if (last) viewer.socket.end(text);
    else viewer.socket.write(text);
  }

  #tellSize(): void {
    const sizes = [...this.#viewers].flatMap((viewer) => viewer.size ?? []);
    this.#host.viewed(
      sizes.length === 0
        ? null
        : { cols: Math.min(...sizes.map((s) => s.cols)), rows: Math.min(...sizes.map((s) => s.rows)) },
    );
  }
}

/** A ring that overflowed may start within a sequence: the first whole one starts at a line or an escape. */
function wholeFrom(bytes: Buffer, isCut: boolean): Buffer {
  if (!isCut) return bytes;
  const starts = [bytes.indexOf(0x0a) + 1, bytes.indexOf(0x1b)].filter((at) => at > 0);
  return starts.length > 0 ? bytes.subarray(Math.min(...starts)) : bytes;
}

function sizeOf(message: Record<string, unknown>): { cols: number; rows: number } {
  const side = (value: unknown, usual: number): number =>
    typeof value === "number" && value >= 1 && value <= 1000 ? Math.floor(value) : usual;
  return { cols: side(message.cols, 80), rows: side(message.rows, 24) };
}
