/** Finds the position of a key in a TOML file: the parser reports positions of syntax errors only. */

export interface Position {
  line: number;
  column: number;
}

const LINE_MAX = 500;

/** Finds keys in a text that is known to parse. A key inside an inline table is found at the start of its line. */
export function positionsIn(text: string): (path: readonly string[]) => Position | undefined {
  const found = new Map<string, Position>();
  let table: string[] = [];
  let inText = false;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, LINE_MAX);
    const quotes = line.split(/"""|'''/).length - 1;
    const wasInText = inText;
    if (quotes % 2 === 1) inText = !inText;
    if (wasInText) continue;
    const start = line.trimStart();
    const position = { line: index + 1, column: line.length - start.length + 1 };
    if (start.startsWith("[")) {
      const name = start.slice(start.startsWith("[[") ? 2 : 1).split("]", 1)[0] ?? "";
      table = partsOf(name);
      remember(found, table, position);
    } else if (!start.startsWith("#") && start.includes("=")) {
      remember(found, [...table, ...partsOf(start.split("=", 1)[0] ?? "")], position);
    }
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const position = found.get(keyOf(path.slice(0, length)));
      if (position) return position;
    }
    return undefined;
  };
}

function remember(found: Map<string, Position>, path: readonly string[], position: Position): void {
  const key = keyOf(path);
  if (!found.has(key)) found.set(key, position);
}

/** Dots inside quotes are rare enough in our names to be treated as separators. */
function partsOf(name: string): string[] {
  return name.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}

const keyOf = (path: readonly string[]): string => path.join("\u0000");
