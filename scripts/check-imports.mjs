#!/usr/bin/env node
/**
 * Fails when an import points against the way of the data. Run by `npm run check:imports`; the folder to look at may
 * be given (default: src beside this script).
 *
 * The table is the whole rule: what a folder of src may import besides itself. `packages` says which imports from
 * outside it may use: none (the judgement stands alone), pure (libraries and built-ins that only transform data, so
 * that live and replay read alike), or any. Tests beside the source keep the direction but may use any package.
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
  setup: { folders: [...NODE, "sensors", "terminal", "channels"], packages: "any" },
  daemon: { folders: [...NODE, "sensors", "store", "terminal", "effects", "channels"], packages: "any" },
  api: { folders: [...NODE, "sensors", "store", "terminal", "effects", "daemon"], packages: "any" },
  demo: { folders: [...NODE, "sensors", "store", "terminal", "effects", "daemon", "api"], packages: "any" },
  replay: { folders: READING, packages: "any" },
  eval: { folders: [...READING, "replay"], packages: "pure" },
  cli: {
    folders: [
      ...[...NODE, "sensors", "store", "terminal", "effects", "channels", "setup"],
      ...["daemon", "api", "demo", "replay", "eval"],
    ],
    packages: "any",
  },
};
/** Files of core itself that make the step; the others there are its vocabulary, which every folder of core may use. */
const STEP =
  /^core\/(?:step|step-[\w-]+|index|effects|node-state|session-judge|take-in|due-notices|incident-events|agent-decisions|what-if)\./;
/** The table of problems and what its rows are made of: incidents read it, and decisions read incidents. */
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
const problems = files.flatMap(checkFile);
for (const problem of problems) console.error(problem);
console.log(`imports: ${files.length} files looked at, ${problems.length} against the direction`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** The row of a file: its folder in src; in core the folder below it, or `core/step`. */
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
  if (!layer) return [`${name}:1: "${from}" has no row in the table of scripts/check-imports.mjs; add one`];
  return importsOf(readFileSync(join(root, name), "utf8")).flatMap(({ line, specifier }) => {
    const complaint = specifier.startsWith(".")
      ? complainAboutFolder(name, from, layer, specifier)
      : complainAboutPackage(name, from, layer, specifier);
    return complaint ? [`src/${name.split(sep).join("/")}:${line}: ${complaint}`] : [];
  });
}

function complainAboutFolder(name, from, layer, specifier) {
  const path = relative(root, resolve(root, dirname(name), specifier));
  const inTest = name.endsWith(".test.ts");
  if (path.split(sep)[0] === "..") return inTest ? null : `"${specifier}" leaves src`;
  const target = layerOf(path);
  if (target === from || layer.folders.includes(target)) return null;
  if (inTest && layer.tests?.includes(target)) return null;
  // A test of core may set the whole of core in motion.
  if (inTest && CORE.includes(from) && CORE.includes(target)) return null;
  const allowed = layer.folders.length > 0 ? `only itself and ${layer.folders.join(", ")}` : "nothing but itself";
  return `${from} imports ${target} ("${specifier}"); it may import ${allowed}`;
}

function complainAboutPackage(name, from, layer, specifier) {
  if (name.endsWith(".test.ts") || layer.packages === "any") return null;
  if (layer.packages === "none") return `${from} imports "${specifier}"; it may import no package and no built-in`;
  if (!specifier.startsWith("node:") || PURE_BUILTINS.has(specifier)) return null;
  return `${from} imports "${specifier}"; it has no I/O: of the built-ins only ${[...PURE_BUILTINS].join(", ")}`;
}

/** Static, re-exporting, bare and dynamic imports, and import types. A line inside a comment does not count. */
function importsOf(source) {
  const specifiers = /(?:^(?:import|export|\}).*?\bfrom|^import|\bimport\()\s*["']([^"']+)["']/g;
  return source.split("\n").flatMap((text, index) => {
    if (/^\s*(?:\*|\/\/|\/\*)/.test(text)) return [];
    return [...text.matchAll(specifiers)].map((match) => ({ line: index + 1, specifier: match[1] }));
  });
}
