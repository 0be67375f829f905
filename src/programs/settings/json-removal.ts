/**
 * Removes one item or property from JSON with comments, and nothing else. `modify` of jsonc-parser would cut up to its
 * neighbour, with every comment in between, and write the neighbour again.
 */
import { createScanner, findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";

export function withoutNode(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const found = root && findNodeAtLocation(root, path);
  if (!found) return text;
  // A property is its name and its value.
  const node = found.parent?.type === "property" ? found.parent : found;
  const siblings = node.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(node) - 1];
  const [end, before] = [endOfProperty(node), previous ? endOfProperty(previous) : null];
  const comma = commaAfter(text, end);
  if (comma !== null) return cutLine(cut(text, comma, comma + 1), node.offset, end, before);
  const rest = cutLine(text, node.offset, end, before);
  const last = before === null ? null : commaAfter(text, before);
  return last === null ? rest : cut(rest, last, last + 1);
}

const endOfProperty = ({ offset, length }: Node): number => offset + length;

const cut = (text: string, from: number, to: number): string => text.slice(0, from) + text.slice(to);

/** The position of the next comma, after any comments; null if something else comes first. */
function commaAfter(text: string, from: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : null;
}

/**
 * A line of its own is removed with it, else the spaces after it. A comment that was moved down with it returns to the
 * line of its subject, which ends at `before`.
 */
function cutLine(text: string, from: number, to: number, before: number | null): string {
  let [start, end] = [from, to];
  while (isBlank(text[start - 1])) start--;
  while (isBlank(text[end])) end++;
  if (text[start - 1] !== "\n") return cut(text, from, end);
  const lineEnd = text[start - 2] === "\r" ? start - 2 : start - 1;
  if (text[end] === undefined || "\r\n]}".includes(text[end] as string)) return cut(text, lineEnd, end);
  const isPushed = text[end] === "/" && before !== null && /^,?$/.test(text.slice(before, lineEnd));
  return cut(text, isPushed ? lineEnd : from, to);
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";
