/** Every small change of a TypeScript source that a good test should notice. Types and imports are left alone. */
import { createHash } from "node:crypto";
import { parseAst } from "vitest/node";

const OPERATORS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};
const METHODS = { some: "every", every: "some", min: "max", max: "min" };
/** TypeScript nodes around a value; all others hold types. */
const VALUES = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const SHOWN_MAX = 60;

/** The mutants of one file, in the order of the source. An id stays the same while the changed text does. */
export function mutantsOf(file, source) {
  const found = [];
  const times = new Map();
  const add = (start, end, text) => {
    // A source that does not parse fails every test and proves nothing.
    if (!parses(applyMutant(source, { start, end, text }))) return;
    const what = `${shown(source.slice(start, end))} → ${shown(text)}`;
    const time = (times.get(what) ?? 0) + 1;
    times.set(what, time);
    const line = source.slice(0, start).split("\n").length;
    found.push({ id: digest(`${file} ${what} ${time}`), file, line, start, end, text, what });
  };
  visit(parseAst(source, { lang: "ts" }), (node) => {
    for (const [start, end, text] of changesOf(node, source)) add(start, end, text);
  });
  return found;
}

/** The first `count` mutants in an order that depends on the seed and on each mutant alone. */
export function pickMutants(mutants, seed, count) {
  const ranked = mutants.map((mutant) => ({ mutant, rank: digest(`${seed} ${mutant.id}`) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ mutant }) => mutant);
}

export const applyMutant = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

export const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

function shown(text) {
  const line = text.replace(/\s+/g, " ").trim() || "nothing";
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX - 1)}…` : line;
}

function parses(source) {
  try {
    parseAst(source, { lang: "ts" });
    return true;
  } catch {
    return false;
  }
}

function visit(node, each) {
  if (Array.isArray(node)) for (const one of node) visit(one, each);
  if (typeof node?.type !== "string") return;
  if (node.type === "ImportDeclaration" || (node.type.startsWith("TS") && !VALUES.has(node.type))) return;
  each(node);
  for (const part of Object.values(node)) if (part !== null && typeof part === "object") visit(part, each);
}

/** `[start, end, text]` of each change of this node. */
function changesOf(node, source) {
  const text = ({ start, end }) => source.slice(start, end);
  switch (node.type) {
    case "LogicalExpression":
      return [
        ...swapped(node, source),
        [node.start, node.end, `(${text(node.left)})`],
        [node.start, node.end, `(${text(node.right)})`],
      ];
    case "BinaryExpression":
      return swapped(node, source);
    case "UnaryExpression":
      return node.operator === "!" ? [[node.start, node.end, `(${text(node.argument)})`]] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((value) => [node.test.start, node.test.end, value]);
    case "ArrayExpression":
      return node.elements.flatMap((_, place) => withoutElement(node.elements, place));
    case "ExpressionStatement":
      return /^(?:Call|Await|Assignment|Update)Expression$/.test(node.expression.type)
        ? [[node.start, node.end, ";"]]
        : [];
    case "MemberExpression":
      return Object.hasOwn(METHODS, node.property.name ?? "")
        ? [[node.property.start, node.property.end, METHODS[node.property.name]]]
        : [];
    case "Literal":
      return literals(node).map((value) => [node.start, node.end, value]);
    default:
      return [];
  }
}

const isText = (node) =>
  node.type === "TemplateLiteral" ||
  (node.type === "Literal" && typeof node.value === "string") ||
  (node.type === "BinaryExpression" && (isText(node.left) || isText(node.right)));

function swapped({ start, end, operator, left, right }, source) {
  const other = OPERATORS[operator];
  // Concatenation of texts is not arithmetic.
  if (other === undefined || (operator === "+" && (isText(left) || isText(right)))) return [];
  const at = left.end + source.slice(left.end, right.start).indexOf(operator);
  return [[start, end, source.slice(start, at) + other + source.slice(at + operator.length, end)]];
}

function literals({ value }) {
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value !== "number") return [];
  return value === 0 ? ["1"] : ["0", String(value * 2)];
}

function withoutElement(elements, place) {
  const element = elements[place];
  if (!element) return [];
  const next = elements[place + 1];
  if (next) return [[element.start, next.start, ""]];
  return [[place > 0 ? elements[place - 1].end : element.start, element.end, ""]];
}
