/** A unified diff of two short texts. */
const CONTEXT = 3;
/** Above this number of pairs of lines, the middle is shown as one change. */
const PAIRS_MAX = 4_000_000;

type Line = { mark: " " | "-" | "+"; text: string };

/** Empty when the texts are the same. */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(split(before), split(after));
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== " "),
  );
  const out = [`--- ${name}`, `+++ ${name}`];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && near[end]) end++;
    if (end > at) out.push(hunkHead(lines, at, end), ...lines.slice(at, end).map(({ mark, text }) => mark + text));
    at = end === at ? at + 1 : end;
  }
  return `${out.join("\n")}\n`;
}

function hunkHead(lines: readonly Line[], from: number, to: number): string {
  const range = (other: Line["mark"]): string => {
    const length = lines.slice(from, to).filter(({ mark }) => mark !== other).length;
    const start = lines.slice(0, from).filter(({ mark }) => mark !== other).length;
    return `${length === 0 ? start : start + 1},${length}`;
  };
  return `@@ -${range("+")} +${range("-")} @@`;
}

function split(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Longest common subsequence; equal beginnings and ends are removed first, which leaves little. */
function compare(a: readonly string[], b: readonly string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [
    ...marked(" ", a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...marked(" ", a.slice(a.length - tail)),
  ];
}

function middle(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > PAIRS_MAX) return [...marked("-", a), ...marked("+", b)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: " ", text: a[i++] ?? "" });
      j++;
    } else if (i < a.length && (j >= b.length || cell(i + 1, j) >= cell(i, j + 1)))
      lines.push({ mark: "-", text: a[i++] ?? "" });
    else lines.push({ mark: "+", text: b[j++] ?? "" });
  }
  return lines;
}

function marked(mark: Line["mark"], lines: readonly string[]): Line[] {
  return lines.map((text) => ({ mark, text }));
}
