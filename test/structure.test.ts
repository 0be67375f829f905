import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

const ROOT = join(import.meta.dirname, "..");
const MUTABLE_MAX = 12;

interface Node {
  type: string;
  [key: string]: unknown;
}

interface ClassShape {
  place: string;
  /** Fields of an object that can be assigned again. */
  mutable: string[];
  /** Members that TypeScript hides, but JavaScript does not. */
  hidden: string[];
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function classesIn(node: Node, place: string): ClassShape[] {
  const below = Object.entries(node)
    .filter(([key]) => key !== "parent")
    .flatMap(([, value]) => [value].flat())
    .filter(isNode)
    .flatMap((child) => classesIn(child, place));
  if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") return below;
  return [shapeOf(node, place), ...below];
}

function shapeOf(node: Node, place: string): ClassShape {
  const members = (node.body as { body: Node[] }).body;
  const nameOf = ({ key }: Node): string => (key as { name?: string } | undefined)?.name ?? "?";
  const isMutable = (member: Node): boolean =>
    member.type === "PropertyDefinition" && member.static !== true && member.readonly !== true;
  const isHidden = (member: Node): boolean =>
    member.kind !== "constructor" && (member.accessibility === "private" || member.accessibility === "protected");
  return {
    place: `${place} ${(node.id as { name?: string } | null)?.name ?? ""}`,
    mutable: members.filter(isMutable).map(nameOf),
    hidden: members.filter(isHidden).map(nameOf),
  };
}

const classes = ["src", "web/src"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."))
    .map((name) => ({ name: `${folder}/${name}`, source: readFileSync(join(ROOT, folder, name), "utf8") }))
    .filter(({ source }) => /\bclass\b/.test(source))
    .flatMap(({ name, source }) =>
      classesIn(parseAst(source, { lang: name.endsWith("x") ? "tsx" : "ts" }) as unknown as Node, name),
    ),
);

it("no class has more than a dozen mutable fields", () => {
  expect(classes.length).toBeGreaterThan(200);
  expect(classes.some(({ mutable }) => mutable.length > 8)).toBe(true);
  expect(classes.filter(({ mutable }) => mutable.length > MUTABLE_MAX)).toEqual([]);
});

it("private members are written with #", () => {
  expect(classes.filter(({ hidden }) => hidden.length > 0)).toEqual([]);
});
