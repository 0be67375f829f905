/**
 * Connections to the hub over the two streams of one ssh connection: a node there opens them on a socket file, and this machine
 * connects each to its own hub. What they carry, TLS included, is not read here.
 *
 * A frame is its kind (1 byte), the number of its connection and the length of its bytes (4 bytes each), and the bytes.
 */
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

const KINDS = ["open", "data", "end", "ping"] as const;
type Kind = (typeof KINDS)[number];
const HEADER = 9;
const FRAME_MAX = 64 * 1024;
/** A node has two pools of at most four connections, and commands of users one each for a moment. */
const CONNECTIONS_MAX = 32;
/** Of one connection; beyond it, it is ended. */
const WAITING_MAX = 16 * 1024 * 1024;
const PING_MS = 5_000;
/** Time in which nothing arrived. */
const SILENCE_MS = 20_000;

export interface RelayOptions {
  input: Readable;
  output: Writable;
  /** The other side opened a connection. Null: it may not. */
  connect: (() => Socket) | null;
  /** Once. */
  closed: (reason: string) => void;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #sockets = new Map<number, Socket>();
  readonly #pings: NodeJS.Timeout;
  #rest: Buffer = Buffer.alloc(0);
  #lastId = 0;
  #heardAt = performance.now();
  #isClosed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { input, output } = options;
    input.on("data", (chunk: Buffer) => this.#read(chunk));
    for (const stream of [input, output]) {
      stream.on("error", (error: Error) => this.close(error.message));
      stream.on("close", () => this.close("the connection was lost"));
    }
    input.on("end", () => this.close("the connection was lost"));
    output.on("drain", () => {
      for (const socket of this.#sockets.values()) socket.resume();
    });
    this.#pings = setInterval(() => this.#ping(), PING_MS);
  }

  /** A connection of this side. */
  add(socket: Socket): void {
    if (this.#isClosed || this.#sockets.size >= CONNECTIONS_MAX) return void socket.destroy();
    const id = ++this.#lastId;
    this.#send("open", id);
    this.#carry(id, socket);
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#pings);
    for (const socket of this.#sockets.values()) socket.destroy();
    this.#sockets.clear();
    this.#options.closed(reason);
  }

  #carry(id: number, socket: Socket): void {
    this.#sockets.set(id, socket);
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => {
      let isFree = true;
      for (let at = 0; at < bytes.length; at += FRAME_MAX)
        isFree = this.#send("data", id, bytes.subarray(at, at + FRAME_MAX));
      // What ssh cannot take yet stays with the other program.
      if (!isFree) for (const one of this.#sockets.values()) one.pause();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#sockets.get(id) !== socket) return;
      this.#sockets.delete(id);
      this.#send("end", id);
    });
  }

  #read(chunk: Buffer): void {
    this.#heardAt = performance.now();
    this.#rest = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (!this.#isClosed && this.#rest.length - at >= HEADER) {
      const kind = KINDS[this.#rest.readUInt8(at)];
      const length = this.#rest.readUInt32BE(at + 5);
      if (kind === undefined || length > FRAME_MAX) {
        this.close("the other side sent something else");
        return;
      }
      if (this.#rest.length - at < HEADER + length) break;
      const bytes = this.#rest.subarray(at + HEADER, at + HEADER + length);
      this.#take(kind, this.#rest.readUInt32BE(at + 1), bytes);
      at += HEADER + length;
    }
    this.#rest = this.#rest.subarray(at);
  }

  #take(kind: Kind, id: number, bytes: Buffer): void {
    const socket = this.#sockets.get(id);
    if (kind === "open") this.#open(id);
    // Others were ended by this side, and the other side does not know it yet.
    if (!socket || kind === "ping" || kind === "open") return;
    if (kind === "end") {
      this.#sockets.delete(id);
      socket.end();
    } else if (socket.writableLength + bytes.length > WAITING_MAX) socket.destroy();
    else socket.write(bytes);
  }

  #open(id: number): void {
    const { connect } = this.#options;
    if (connect === null || this.#sockets.has(id)) this.close("the other side sent something else");
    else if (this.#sockets.size >= CONNECTIONS_MAX) this.#send("end", id);
    else this.#carry(id, connect());
  }

  #ping(): void {
    if (performance.now() - this.#heardAt > SILENCE_MS) this.close("the other side is silent");
    else this.#send("ping", 0);
  }

  /** False: wait for `drain`. */
  #send(kind: Kind, id: number, bytes: Buffer = Buffer.alloc(0)): boolean {
    if (this.#isClosed) return true;
    const header = Buffer.alloc(HEADER);
    header.writeUInt8(KINDS.indexOf(kind), 0);
    header.writeUInt32BE(id, 1);
    header.writeUInt32BE(bytes.length, 5);
    return this.#options.output.write(Buffer.concat([header, bytes]));
  }
}
