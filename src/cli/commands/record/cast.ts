/** The terminal of a recording: asciicast v2, gzipped, written as it arrives, with secrets masked. */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { constants, createGzip } from "node:zlib";
import { RedactStream } from "../../../core/text/redact-stream.js";
import { maskKeys } from "../../../readers/keys.js";

/** How long an unfinished line is held back; replay checks the screen twice a second. */
const HOLD_MS = 150;
/** Flush interval: a recorder that is killed leaves a recording up to here. */
const FLUSH_MS = 2000;

export class CastWriter {
  readonly #gzip = createGzip();
  readonly #written: Promise<void>;
  readonly #clock: () => number;
  readonly #output = new CastChannel("o");
  readonly #input = new CastChannel("i");
  readonly #typed = new StringDecoder("utf8");
  readonly #keysWhole: boolean;
  readonly #flushing: NodeJS.Timeout;
  #holding: NodeJS.Timeout | null = null;
  #size: string;

  /**
   * `clock` returns seconds since `startAt`, which is a whole second, as the header requires. `keysWhole` keeps the
   * typed text.
   */
  constructor(
    path: string,
    size: { cols: number; rows: number },
    startAt: number,
    clock: () => number,
    keysWhole: boolean,
  ) {
    this.#clock = clock;
    this.#keysWhole = keysWhole;
    this.#size = `${size.cols}x${size.rows}`;
    const file = createWriteStream(path, { mode: 0o600, flags: "wx" });
    this.#written = finished(this.#gzip.pipe(file));
    // `close` reports it; until then it must not end the process.
    this.#written.catch(() => {});
    this.#flushing = setInterval(() => this.#gzip.flush(constants.Z_SYNC_FLUSH), FLUSH_MS);
    this.#line({ version: 2, width: size.cols, height: size.rows, timestamp: startAt / 1000 });
  }

  output(bytes: Buffer): void {
    this.#write(this.#output, bytes);
  }

  /** Special keys (Escape, Ctrl-C) are written at once, so that they do not merge with other keys. */
  keys(bytes: Buffer): void {
    if (this.#keysWhole && /[^\u0000-\u001f]/.test(bytes.toString("latin1"))) {
      this.#write(this.#input, bytes);
      return;
    }
    const text = maskKeys(this.#typed.write(bytes));
    if (this.#keysWhole) this.#release();
    if (text !== "") this.#line([this.#clock(), "i", text]);
  }

  resize(cols: number, rows: number): void {
    const size = `${cols}x${rows}`;
    if (size === this.#size) return;
    this.#size = size;
    this.#release();
    this.#line([this.#clock(), "r", size]);
  }

  /** Throws if a write failed. */
  async close(): Promise<void> {
    clearInterval(this.#flushing);
    this.#release();
    // An event without output marks the end of the recording.
    this.#line([this.#clock(), "m", "end"]);
    this.#gzip.end();
    await this.#written;
  }

  #write(channel: CastChannel, bytes: Buffer): void {
    this.#say(channel, channel.push(bytes));
    this.#holding ??= setTimeout(() => this.#release(), HOLD_MS);
  }

  #release(): void {
    if (this.#holding) clearTimeout(this.#holding);
    this.#holding = null;
    for (const channel of [this.#output, this.#input]) this.#say(channel, channel.flush());
  }

  #say({ code }: CastChannel, text: string): void {
    if (text !== "") this.#line([this.#clock(), code, text]);
  }

  #line(value: unknown): void {
    this.#gzip.write(`${JSON.stringify(value)}\n`);
  }
}

/** Decodes bytes to text; joins split characters and split secrets before they are passed on. */
class CastChannel {
  readonly code: "o" | "i";
  readonly #decoder = new StringDecoder("utf8");
  readonly #redact = new RedactStream();

  constructor(code: "o" | "i") {
    this.code = code;
  }

  push(bytes: Buffer): string {
    return this.#redact.push(this.#decoder.write(bytes));
  }

  flush(): string {
    return this.#redact.flush();
  }
}
