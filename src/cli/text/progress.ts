/** A progress line on standard error, shown only on a terminal and erased at the end. */
import { canDraw } from "./paint.js";

export interface ProgressBar {
  /** Counts one more; `label` names the current or the last item. */
  step(label?: string): void;
  /** Erases the line. May be called twice. */
  end(): void;
}

interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const BAR_CELLS = 24;
/** Minimum interval of redraws: a terminal over a slow connection must not delay the run. */
const REDRAW_MS = 80;
const ERASE_LINE = "\r\u001b[2K";

/**
 * @example
 * const progress = startProgress("replaying", cases.length);
 * try {
 *   for (const one of cases) { await replay(one); progress.step(one.name); }
 * } finally {
 *   progress.end();
 * }
 */
export function startProgress(
  title: string,
  /** null if unknown. */
  total: number | null,
  stream: ProgressStream = process.stderr,
  now: () => number = Date.now,
): ProgressBar {
  if (!canDraw(stream) || total === 0) return { step: () => {}, end: () => {} };
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const draw = (label: string) => {
    drawnAt = now();
    isShown = true;
    stream.write(ERASE_LINE + progressLine(title, done, total, label, stream.columns || 80));
  };
  draw("");
  return {
    step(label = "") {
      done = Math.min(total ?? Number.POSITIVE_INFINITY, done + 1);
      if (now() - drawnAt >= REDRAW_MS) draw(label);
    },
    end() {
      if (isShown) stream.write(ERASE_LINE);
      isShown = false;
    },
  };
}

/** Cut to the width of the terminal, because a wrapped line cannot be erased. Labels are file names: control bytes are replaced. */
function progressLine(title: string, done: number, total: number | null, label: string, columns: number): string {
  const plain = label.replace(/[^\x20-\x7e]/g, "?");
  return `${title} ${total === null ? done : `${bar(done / total)} ${done}/${total}`} ${plain}`
    .trimEnd()
    .slice(0, Math.max(0, columns - 1));
}

function bar(share: number): string {
  const filled = Math.floor(share * BAR_CELLS);
  return "█".repeat(filled) + "░".repeat(BAR_CELLS - filled);
}
