/** The text of a terminal after some output, with its scrollback, as lines. */
const SCROLLBACK = 1000;

export async function paintScreen(
  bytes: Uint8Array,
  { cols, rows }: { cols: number; rows: number },
  scrollback: number = SCROLLBACK,
): Promise<string[]> {
  // Loaded on demand: only a request for a terminal's text needs it.
  const { default: xterm } = await import("@xterm/headless");
  const terminal = new xterm.Terminal({ cols, rows, scrollback, allowProposedApi: true });
  return new Promise((resolve) => {
    terminal.write(bytes, () => {
      const buffer = terminal.buffer.active;
      const found: string[] = [];
      for (let y = 0; y < buffer.length; y++) {
        const line = buffer.getLine(y);
        const isMore = buffer.getLine(y + 1)?.isWrapped === true;
        const text = line?.translateToString(!isMore) ?? "";
        // Wrapped rows are joined: half of a secret would not be recognised.
        if (line?.isWrapped && found.length > 0) found[found.length - 1] += text;
        else found.push(text);
      }
      terminal.dispose();
      resolve(found);
    });
  });
}

/**
 * The cursor is moved otherwise than by text and line ends, or a screen is cleared or switched: as plain lines the output
 * would be unreadable.
 */
const PAINTS = /\u001b\[(?:\d{0,5}[A-Ga`deLMP@X]|[\d;]{0,11}[Hf]|[\d;]{0,5}J|\?(?:47|1047|1049)h)/;

/** Whether a program draws a screen instead of writing line after line. */
export const isPainting = (bytes: Uint8Array): boolean => PAINTS.test(Buffer.from(bytes).toString("latin1"));
