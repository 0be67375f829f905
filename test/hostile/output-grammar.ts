/**
 * Output that no well-behaved program writes: every form of control sequence with extreme parameters, strings of any kind
 * and length, sequences that are nested, unfinished or broken, marks, wide characters and invalid UTF-8, in an order that
 * prepares the terminal for the costly part.
 */
import type { Random } from "../sim/random.js";

/** Bytes, as characters up to U+00FF, and how often they come; or a new size of the terminal. */
export type Piece = { text: string; times: number } | { cols: number; rows: number };

export interface HostileOutput {
  cols: number;
  rows: number;
  pieces: Piece[];
}

const BYTES_MAX: number = 64 * 1024;

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const ESC = "\u001b";

const COUNTS = [
  0,
  1,
  2,
  7,
  39,
  40,
  41,
  119,
  120,
  121,
  255,
  256,
  999,
  4799,
  4800,
  65535,
  1e6,
  2 ** 31 - 1,
  2 ** 31,
  1e12,
];
const FINALS = Array.from({ length: 63 }, (_, n) => String.fromCharCode(0x40 + n));
const PREFIXES = ["", "", "", "?", ">", "=", "<"];
const INTERMEDIATES = ["", "", "", "", " ", "!", '"', "#", "$", "'", "*", "(", " !"];
const MODES = [
  1, 2, 3, 4, 5, 6, 7, 9, 12, 20, 25, 45, 47, 66, 69, 1000, 1003, 1006, 1047, 1048, 1049, 2004, 2026, 2027, 7727,
];
const WORDS = [
  "esc to interrupt",
  "❯ 1. Yes",
  "● Do you want to proceed?",
  "API Error: 429 rate limit",
  "resets 5pm (Europe/Berlin)",
  "retrying in 12s",
  "✻ Thinking… (12s · ↑ 1.2k tokens)",
  "│ > ",
  "╭──────╮",
  "Error: failed 12:30:01",
  "https://example.com/a?b=c&d=e",
  "漢字かな交じり",
  "👩‍👩‍👧‍👦",
  "e\u0301\u0302\u0303",
  "\u202eright to left\u202c",
  "a\u200b\u200d\ufe0f",
  "ᄀ\u1161\u11a8",
  "🏴\u{e0067}\u{e0062}\u{e007f}",
  " ",
  "x",
  "0123456789",
];
const CONTROLS = "\u0000\u0007\b\t\n\u000b\f\r\u000e\u000f\u0018\u001a\u007f".split("");
const BROKEN = [
  "\u009b",
  "\u00c2",
  "\u00e2\u0094",
  "\u00f0\u009f\u0098",
  "\u00e0\u0080\u0080",
  "\u00f8\u0080",
  "\u00ff",
  "\u00ed\u00a0\u0080",
  "\u00ef\u00bb\u00bf",
];
const TERMINATORS = ["\u0007", `${ESC}\\`, utf8("\u009c"), "\u0018", "\u001a", "", ESC, `${ESC}[`];

export class OutputGrammar {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Some pieces that prepare the terminal, and some that are repeated up to a length. */
  output(size: { cols: number; rows: number }): HostileOutput {
    const random = this.#random;
    const pieces: Piece[] = [];
    for (let n = random.between(0, 4); n > 0; n--) pieces.push(this.#preparation(size));
    const room = random.pick([24, 99, 400, 1024, 4096, 16 * 1024, BYTES_MAX]);
    const bodies = random.between(1, 4);
    for (let n = 0; n < bodies; n++) {
      if (random.chance(0.03)) pieces.push(random.pick([{ cols: 2, rows: 2 }, { cols: 132, rows: 50 }, size]));
      let text = "";
      for (let parts = random.between(1, 4); parts > 0; parts--) text += this.#part();
      const times = random.chance(0.3) ? 1 : Math.floor(room / bodies / Math.max(1, text.length));
      pieces.push({ text, times: Math.max(1, times) });
    }
    return { ...size, pieces: withinBytes(pieces) };
  }

  /** The same output with one piece more, less, different or more often. */
  variant(output: HostileOutput): HostileOutput {
    const random = this.#random;
    const pieces = [...output.pieces];
    const at = random.between(0, pieces.length - 1);
    const piece = pieces[at];
    const draw = random.between(0, 4);
    if (draw === 0) pieces.splice(at, 0, this.#preparation(output));
    else if (draw === 1 && pieces.length > 1) pieces.splice(at, 1);
    else if (piece === undefined || !("text" in piece)) pieces.push({ text: this.#part(), times: 1 });
    else if (draw === 2) pieces[at] = { ...piece, text: piece.text + this.#part() };
    else if (draw === 3)
      pieces[at] = { ...piece, times: Math.max(1, Math.floor(piece.times * random.pick([0.5, 2, 8]))) };
    else pieces[at] = { text: this.#part(), times: piece.times };
    return { ...output, pieces: withinBytes(pieces) };
  }

  #preparation({ cols, rows }: { cols: number; rows: number }): Piece {
    const random = this.#random;
    const once = (text: string): Piece => ({ text, times: 1 });
    switch (random.between(0, 8)) {
      case 0:
        return {
          text: utf8(
            `${random.pick(["e\u0301", "漢\u0301", "x", " "])}${random.chance(0.5) ? `${ESC}[4:3;58:5:9m` : ""}`,
          ),
          times: Math.min(cols * rows, 6000),
        };
      case 1:
        return once(`${ESC}[${random.between(1, rows)};${random.between(1, rows)}r${ESC}[${random.between(1, rows)}H`);
      case 2:
        return once(`${ESC}[?${random.pick(MODES)}${random.pick(["h", "l"])}`);
      case 3:
        return once(`${ESC}[${random.pick([4, 20])}h`);
      case 4:
        return once(`${ESC}[3g`);
      case 5:
        return once(`${ESC}[${rows};${cols}H`);
      case 6:
        return once(`${ESC}]8;;http://x/${random.between(1, 9)}\u0007`);
      case 7:
        return { text: `${" ".repeat(Math.min(cols, 200))}${utf8(random.pick(WORDS))}\r\n`, times: Math.min(rows, 60) };
      default:
        return once(`${ESC}7${ESC}[${random.between(1, rows)};${random.between(1, cols)}H`);
    }
  }

  #part(): string {
    const random = this.#random;
    const draw = random.between(0, 99);
    if (draw < 40) return this.#control();
    if (draw < 50) return utf8(random.pick(WORDS)).repeat(random.chance(0.1) ? random.between(1, 40) : 1);
    if (draw < 58) return random.pick(CONTROLS).repeat(random.chance(0.2) ? random.between(1, 40) : 1);
    if (draw < 66) return this.#escape();
    if (draw < 84) return this.#string();
    if (draw < 88) return random.pick(BROKEN);
    if (draw < 92) return utf8(random.pick(["\u0301", "\u20dd", "\ufe0f", "\u200d"]).repeat(random.between(1, 60)));
    // One sequence inside another, or cut by it.
    return `${this.#control().slice(0, random.between(1, 8))}${this.#control()}`;
  }

  #control(): string {
    const random = this.#random;
    const start = random.chance(0.1) ? utf8("\u009b") : `${ESC}[`;
    if (random.chance(0.15)) return `${start}${random.pick(["", "?"])}${random.pick(MODES)}${random.pick(["h", "l"])}`;
    const length = random.chance(0.05) ? random.between(30, 400) : random.between(0, 3);
    const params = Array.from({ length }, () => random.pick(COUNTS)).join(random.chance(0.1) ? ":" : ";");
    return `${start}${random.pick(PREFIXES)}${params}${random.pick(INTERMEDIATES)}${random.pick(FINALS)}`;
  }

  #escape(): string {
    const random = this.#random;
    const final = String.fromCharCode(random.between(0x30, 0x7e));
    if (random.chance(0.3)) return utf8(String.fromCharCode(random.between(0x80, 0x9f)));
    return `${ESC}${random.pick(["", "", "#", "(", ")", "%", "*", "/", " "])}${final}`;
  }

  #string(): string {
    const random = this.#random;
    const end = random.pick(TERMINATORS);
    const long = (text: string): string =>
      text.repeat(random.chance(0.15) ? random.between(1, 3000) : random.between(0, 6));
    switch (random.between(0, 7)) {
      case 0:
        return `${ESC}]${random.pick([0, 1, 2, 4, 7, 8, 9, 10, 11, 52, 104, 133, 777, 1337, 7501, 999999999999])};${long(random.pick(["1;?;", "x", ";", "working", "rgb:ff/ff/ff;"]))}${end}`;
      case 1:
        return `${ESC}]8;id=${random.between(1, 99)};http://x/${random.between(1, 99)}${end}`;
      case 2:
        return `${ESC}]7501;${random.pick(["working", "blocked;question=x", "idle"])}${long("a=b;")}${end}`;
      // Sixel, a status query, and tmux passing a sequence through.
      case 3:
        return `${ESC}P${random.pick(COUNTS)};1q"1;1;${random.pick(COUNTS)};9#0;2;0;0;0${long("!99999~-")}${end}`;
      case 4:
        return `${ESC}P${random.pick(["$q", "+q", "tmux;", "1;2|"])}${long(random.pick(["m", `${ESC}${ESC}]0;x\u0007`, "544e"]))}${end}`;
      // Kitty graphics.
      case 5:
        return `${ESC}_Ga=T,f=32,s=${random.pick(COUNTS)},v=${random.pick(COUNTS)},m=1;${long("AAAA")}${end}`;
      case 6:
        return `${ESC}${random.pick(["^", "X", "_"])}${long(utf8(random.pick(["x", "é", "漢"])))}${end}`;
      default:
        return `${random.pick([utf8("\u009d"), utf8("\u0090"), utf8("\u009f")])}${random.pick(["0;", "q", "G"])}${long("z")}${end}`;
    }
  }
}

export const textOf = ({ text, times }: { text: string; times: number }): Buffer =>
  Buffer.from(text.repeat(times), "latin1");

/** A change of size counts as many bytes as in a recording. */
const SIZE_BYTES = 16;

export const bytesOf = ({ pieces }: Pick<HostileOutput, "pieces">): number =>
  pieces.reduce((sum, piece) => sum + ("text" in piece ? piece.text.length * piece.times : SIZE_BYTES), 0);

function withinBytes(pieces: readonly Piece[]): Piece[] {
  let room = BYTES_MAX;
  return pieces.flatMap((piece): Piece[] => {
    const length = "text" in piece ? piece.text.length : SIZE_BYTES;
    if (length > room) return [];
    const times = "text" in piece ? Math.min(piece.times, Math.floor(room / Math.max(1, length))) : 1;
    room -= times * length;
    return ["text" in piece ? { text: piece.text, times } : piece];
  });
}
