/** Redraws a text on the alternate screen and restores the terminal at the end. */
import { constants } from "node:os";
import { formatDuration } from "../../core/text/duration.js";
import { DaemonRefusal, DaemonUnreachable } from "../../daemon/client.js";

const EVERY_MS = 2000;

/**
 * Until Ctrl-C. If the daemon goes away, the last text stays with a note and the daemon is asked again: a host restarts
 * it, and a screen that is watched overnight must not become empty. A daemon that is missing at the start is an error.
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
      process.exit(128 + constants.signals[signal]);
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
 * Node.js reads the size of the terminal on SIGWINCH, which a suspended process does not get. Emitting the event makes it
 * read the size again.
 */
export function readSize(): void {
  process.emit("SIGWINCH", "SIGWINCH");
}

const goneText = (ms: number): string =>
  `the daemon has not answered for ${formatDuration(ms)}; this is its last answer`;

/** As many lines as fit, then the note. Omitted lines are counted, because the top would scroll away. */
export function fitScreen(text: string, note: string, rows: number): string {
  const lines = text.trimEnd().split("\n");
  const room = Math.max(1, rows - (note === "" ? 0 : 1));
  const shown =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `and ${lines.length - room + 1} more lines`];
  return [...shown, ...(note === "" ? [] : [note])].join("\n");
}
