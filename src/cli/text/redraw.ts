/** A text that is drawn again and again on the alternate screen, and leaves the terminal as it was. */
import { formatDuration } from "../../core/text/duration.js";
import { DaemonRefusal, DaemonUnreachable } from "../../daemon/client.js";

const EVERY_MS = 2000;

/**
 * Until Ctrl-C. A daemon that went away is told on the last picture, and asked again: it is started again by a host, and
 * whoever watches overnight is not to find an empty screen. One that was not there to begin with is an error.
 */
export async function redrawUntilInterrupted(readText: () => Promise<string>): Promise<void> {
  const read = (): Promise<string> => {
    readSize();
    return readText();
  };
  let text = await read();
  let goneAt: number | null = null;
  const show = (): void => {
    const note = goneAt === null ? "" : goneText(Date.now() - goneAt);
    process.stdout.write(`\u001b[H\u001b[J${fitScreen(text, note, process.stdout.rows ?? 24)}`);
  };
  const restore = (): void => {
    process.stdout.write("\u001b[?25h\u001b[?1049l");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      restore();
      process.exit(0);
    });
  }
  process.stdout.write("\u001b[?1049h\u001b[?25l");
  try {
    for (;;) {
      show();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      try {
        text = await read();
        goneAt = null;
      } catch (error) {
        if (!(error instanceof DaemonUnreachable || error instanceof DaemonRefusal)) throw error;
        goneAt ??= Date.now();
      }
    }
  } finally {
    restore();
  }
}

/**
 * Node.js asks a terminal for its size when it is told of a change, and whoever is suspended meanwhile is told nothing.
 * This is what it listens to.
 */
export function readSize(): void {
  process.emit("SIGWINCH", "SIGWINCH");
}

const goneText = (ms: number): string =>
  `the daemon has not answered for ${formatDuration(ms)}: this is what it said last`;

/** As many lines as fit, the note below them; what is left out is counted, or the top would scroll away. */
export function fitScreen(text: string, note: string, rows: number): string {
  const lines = text.trimEnd().split("\n");
  const room = Math.max(1, rows - (note === "" ? 0 : 1));
  const shown =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `and ${lines.length - room + 1} more lines`];
  return [...shown, ...(note === "" ? [] : [note])].join("\n");
}
