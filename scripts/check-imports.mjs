#!/usr/bin/env node
/**
 * Fails on an import against the direction of the data and on an import cycle. Run by `npm run check:imports`; takes
 * the folder to check (default: src beside this script).
 *
 * The table lists what each folder of src may import besides itself. `packages` limits the imports from outside:
 * `none` (core depends on nothing), `pure` (libraries and built-ins that only transform data, so that live and replay
 * read alike) or `any`. Tests beside the source keep the direction but may use any package.
 *
 * A cycle counts even if it consists of type imports or dynamic imports only: its files cannot be read or moved alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const CORE = [
  "core",
  "core/text",
  "core/judgement",
  "core/policy/problems",
  "core/incidents",
  "core/policy",
  "core/notices",
  "core/step",
];
const READING = [...CORE, "programs/shared", "readers", "programs"];
const NODE = [...READING, "config"];
const LAYERS = {
  "core/text": { folders: [], packages: "none" },
  core: { folders: CORE.slice(1, 2), packages: "none" },
  "core/judgement": { folders: CORE.slice(0, 2), packages: "none" },
  "core/policy/problems": { folders: CORE.slice(0, 3), packages: "none" },
  "core/incidents": { folders: CORE.slice(0, 4), packages: "none" },
  "core/policy": { folders: CORE.slice(0, 5), packages: "none" },
  "core/notices": { folders: CORE.slice(0, 6), packages: "none" },
  "core/step": { folders: CORE, packages: "none" },
  "programs/shared": { folders: CORE, tests: ["programs"], packages: "pure" },
  readers: { folders: [...CORE, "programs/shared"], tests: ["programs"], packages: "pure" },
  programs: { folders: [...CORE, "programs/shared", "readers"], packages: "pure" },
  config: { folders: READING, packages: "any" },
  sensors: { folders: NODE, packages: "any" },
  store: { folders: NODE, packages: "any" },
  terminal: { folders: [...NODE, "sensors"], packages: "any" },
  channels: { folders: NODE, packages: "any" },
  effects: { folders: [...NODE, "sensors", "terminal"], packages: "any" },
  hub: { folders: [...NODE, "store"], packages: "any" },
  fleet: { folders: [...NODE, "store", "hub"], packages: "any" },
  setup: { folders: [...NODE, "sensors", "terminal", "channels"], packages: "any" },
  work: { folders: [...NODE, "sensors", "store", "terminal", "effects", "channels", "hub", "setup"], packages: "any" },
  diagnosis: { folders: [...NODE, "sensors", "store", "hub"], packages: "any" },
  daemon: {
    folders: [...NODE, "sensors", "store", "terminal", "effects", "channels", "hub", "fleet", "work"],
    packages: "any",
  },
  api: {
    folders: [...NODE, "sensors", "store", "terminal", "effects", "hub", "fleet", "work", "diagnosis", "daemon"],
    packages: "any",
  },
  demo: {
    folders: [...NODE, "sensors", "store", "terminal", "effects", "hub", "work", "diagnosis", "daemon", "api"],
    packages: "any",
  },
  replay: { folders: READING, packages: "any" },
  eval: { folders: [...NODE, "diagnosis", "replay"], packages: "pure" },
  cli: {
    folders: [
      ...NODE,
      "sensors",
      "store",
      "terminal",
      "effects",
      "channels",
      "hub",
      "fleet",
      "setup",
      "work",
      "diagnosis",
      "daemon",
      "api",
      "demo",
      "replay",
      "eval",
    ],
    packages: "any",
  },
};
/** Files directly in core that make up the step; the others are its vocabulary, which every folder of core may use. */
const STEP =
  /^core\/(?:step|step-[\w-]+|index|effects|node-state|session-judge|take-in|due-notices|incident-events|agent-decisions|forecast|what-if)\./;
/** The table of problems and the parts of its rows. Incidents read it, and decisions read incidents. */
const PROBLEMS = /^core\/policy\/(?:problems|recovery-plans|suggested-actions|policy)\./;
const PURE_BUILTINS = new Set([
  "node:assert",
  "node:buffer",
  "node:module",
  "node:path",
  "node:string_decoder",
  "node:util",
]);

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "src"));
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .sort();
const imports = new Map(files.map((name) => [name, importsOf(readFileSync(join(root, name), "utf8"))]));
const wrongWay = files.flatMap(checkFile);
const cycles = findCycles();
for (const problem of [...wrongWay, ...cycles]) console.error(problem);
console.log(
  `imports: ${files.length} files checked, ${wrongWay.length} imports against the direction, ${cycles.length} cycles`,
);
process.exitCode = wrongWay.length + cycles.length > 0 ? 1 : 0;

/** The row of a file in the table: its folder in src; in core the folder below it, or `core/step`. */
function layerOf(name) {
  const [folder, below, deeper] = name.split(sep);
  if (folder === "programs" && below === "shared") return "programs/shared";
  if (folder !== "core") return folder;
  if (PROBLEMS.test(name.split(sep).join("/"))) return "core/policy/problems";
  if (deeper !== undefined) return `core/${below}`;
  return STEP.test(name.split(sep).join("/")) ? "core/step" : "core";
}

function checkFile(name) {
  const from = layerOf(name);
  const layer = LAYERS[from];
  if (!layer) return [`${inSource(name)}:1: "${from}" has no row in the table of scripts/check-imports.mjs; add one`];
  return imports.get(name).flatMap(({ line, specifier }) => {
    const complaint = specifier.startsWith(".")
      ? complainAboutFolder(name, from, layer, specifier)
      : complainAboutPackage(name, from, layer, specifier);
    return complaint ? [`${inSource(name)}:${line}: ${complaint}`] : [];
  });
}

function complainAboutFolder(name, from, layer, specifier) {
  const path = relative(root, resolve(root, dirname(name), specifier));
  const inTest = name.endsWith(".test.ts");
  if (path.split(sep)[0] === "..") return inTest ? null : `"${specifier}" leaves src`;
  const target = layerOf(path);
  if (target === from || layer.folders.includes(target)) return null;
  if (inTest && layer.tests?.includes(target)) return null;
  // A test of one part of core may run all of core.
  if (inTest && CORE.includes(from) && CORE.includes(target)) return null;
  const allowed = layer.folders.length > 0 ? `only itself and ${layer.folders.join(", ")}` : "nothing but itself";
  return `${from} imports ${target} ("${specifier}"); it may import ${allowed}`;
}

function complainAboutPackage(name, from, layer, specifier) {
  if (name.endsWith(".test.ts") || layer.packages === "any") return null;
  if (layer.packages === "none") return `${from} imports "${specifier}"; it may import no package and no built-in`;
  if (!specifier.startsWith("node:") || PURE_BUILTINS.has(specifier)) return null;
  return `${from} imports "${specifier}"; it has no I/O and may use only these built-ins: ${[...PURE_BUILTINS].join(", ")}`;
}

/**
 * Reports one shortest cycle for each group of files that import each other. A depth-first search assigns the groups
 * (strongly connected components, after Tarjan).
 */
function findCycles() {
  const found = [];
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const visit = (name) => {
    order.set(name, order.size);
    lowest.set(name, order.get(name));
    open.push(name);
    for (const { target } of targetsOf(name)) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(name, Math.min(lowest.get(name), lowest.get(target)));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const group = open.splice(open.indexOf(name)).sort(byName);
    const cycle = shortestCycle(group);
    if (cycle) found.push(cycle);
  };
  for (const name of files) if (!order.has(name)) visit(name);
  return found.sort(byName);
}

/** The shortest way from the first file of a group back to it, as a line of output; null if there is none. */
function shortestCycle(group) {
  const [start] = group;
  const ways = [[{ target: start }]];
  const reached = new Set();
  for (const way of ways) {
    for (const next of targetsOf(way.at(-1).target)) {
      if (next.target === start) {
        const names = [...way, next].map(({ target }) => inSource(target));
        return `${names[0]}:${(way[1] ?? next).line}: import cycle: ${names.join(" -> ")}`;
      }
      if (!group.includes(next.target) || reached.has(next.target)) continue;
      reached.add(next.target);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** The files of src that a file imports. */
function targetsOf(name) {
  return imports.get(name).flatMap(({ line, specifier }) => {
    if (!specifier.startsWith(".")) return [];
    const target = relative(root, resolve(root, dirname(name), specifier)).replace(/\.js$/, ".ts");
    return imports.has(target) ? [{ line, target }] : [];
  });
}

function inSource(name) {
  return `src/${name.split(sep).join("/")}`;
}

/** Static, re-exporting, bare and dynamic imports, and import types. A line inside a comment does not count. */
function importsOf(source) {
  const specifiers = /(?:^(?:import|export|\}).*?\bfrom|^import|\bimport\()\s*["']([^"']+)["']/g;
  return source.split("\n").flatMap((text, index) => {
    if (/^\s*(?:\*|\/\/|\/\*)/.test(text)) return [];
    return [...text.matchAll(specifiers)].map((match) => ({ line: index + 1, specifier: match[1] }));
  });
}

function byName(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
