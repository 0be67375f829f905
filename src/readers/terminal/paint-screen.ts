/** The text of a terminal after some output, with its scrollback, as lines. */
const SCROLLBACK = 1000;
/** A scrollback of wide lines has fewer of them: this many cells take 50 MB. */
const CELLS_MAX = 4_000_000;
const PIECE_BYTES = 64 * 1024;

export async function paintScreen(
  bytes: Uint8Array,
  size: { cols: number; rows: number },
  scrollback: number = SCROLLBACK,
): Promise<string[]> {
  // Loaded on demand: only a request for a terminal's text needs it.
  const { BoundedTerminal } = await import("./bounded-terminal.js");
  const bounded = new BoundedTerminal(size, Math.min(scrollback, Math.floor(CELLS_MAX / Math.max(1, size.cols))));
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    bounded.write(bytes.subarray(at, at + PIECE_BYTES));
    bounded.refill();
  }
  const buffer = bounded.terminal.buffer.active;
  const found: string[] = [];
  for (let y = 0; y < buffer.length; y++) {
    const line = buffer.getLine(y);
    const isMore = buffer.getLine(y + 1)?.isWrapped === true;
    const text = line?.translateToString(!isMore) ?? "";
    // Wrapped rows are joined: half of a secret would not be recognised.
    if (line?.isWrapped && found.length > 0) found[found.length - 1] += text;
    else found.push(text);
  }
  bounded.dispose();
  return found;
}

/**
 * The cursor is moved otherwise than by text and line ends, or a screen is cleared or switched: as plain lines the output
 * would be unreadable.
 */
const PAINTS = /\u001b\[(?:\d{0,5}[A-Ga`deLMP@X]|[\d;]{0,11}[Hf]|[\d;]{0,5}J|\?(?:47|1047|1049)h)/;

/** Whether a program draws a screen instead of writing line after line. */
export const isPainting = (bytes: Uint8Array): boolean => PAINTS.test(Buffer.from(bytes).toString("latin1"));
