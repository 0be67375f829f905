#!/usr/bin/env node
/**
 * Fails when an import points against the way of the data. Run by `npm run check:imports`; the folder to look at may
 * be given (default: src beside this script).
 *
 * The table is the whole rule: what a folder of src may import besides itself. A sub-folder with a row of its own is a
 * layer of its own: the row of its parent neither covers it nor lets it import the parent. `packages` says which imports from
 * outside it may use: none (the judgement stands alone), pure (libraries and built-ins that only transform data, so
 * that live and replay read alike), or any. Tests beside the source keep the direction but may use any package, and the
 * folders that `tests` names as data.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const READING = ["core", "programs/shared", "readers", "programs"];
const LAYERS = {
  core: { folders: [], packages: "none" },
  "programs/shared": { folders: ["core"], tests: ["programs"], packages: "pure" },
  readers: { folders: ["core", "programs/shared"], tests: ["programs"], packages: "pure" },
  programs: { folders: ["core", "programs/shared", "readers"], packages: "pure" },
  agents: { folders: ["core", "programs/shared"], packages: "pure" },
  "readers/fragment": { folders: [...READING, "agents"], packages: "pure" },
  config: { folders: READING, packages: "any" },
  sensors: { folders: [...READING, "config"], packages: "any" },
  store: { folders: [...READING, "config"], packages: "any" },
  setup: { folders: [...READING, "config"], packages: "any" },
  host: { folders: [...READING, "config", "sensors"], packages: "any" },
  channels: { folders: [...READING, "config"], packages: "any" },
  effects: { folders: [...READING, "config", "sensors", "host"], packages: "any" },
  daemon: { folders: [...READING, "config", "sensors", "store", "host", "effects", "channels"], packages: "any" },
  api: { folders: [...READING, "config", "sensors", "store", "host", "effects", "daemon"], packages: "any" },
  demo: { folders: [...READING, "config", "sensors", "store", "host", "effects", "daemon", "api"], packages: "any" },
  replay: { folders: READING, packages: "any" },
  eval: { folders: [...READING, "replay"], packages: "pure" },
  cli: {
    folders: [
      ...READING,
      "config",
      "sensors",
      "store",
      "setup",
      "host",
      "effects",
      "daemon",
      "api",
      "demo",
      "replay",
      "eval",
    ],
    packages: "any",
  },
};
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

function checkFile(name) {
  const from = layerOf(name.split(sep));
  const layer = LAYERS[from];
  if (!layer) return [`${name}:1: "${from}" has no row in the table of scripts/check-imports.mjs; add one`];
  return importsOf(readFileSync(join(root, name), "utf8")).flatMap(({ line, specifier }) => {
    const complaint = specifier.startsWith(".")
      ? complainAboutFolder(name, from, layer, specifier)
      : complainAboutPackage(name, from, layer, specifier);
    return complaint ? [`src/${name.split(sep).join("/")}:${line}: ${complaint}`] : [];
  });
}

/** The deepest folder on the way to a file that has a row; its first one when none has. */
function layerOf(path) {
  const folders = path.slice(0, -1).map((_, depth) => path.slice(0, depth + 1).join("/"));
  return folders.findLast((folder) => LAYERS[folder]) ?? path[0];
}

function complainAboutFolder(name, from, layer, specifier) {
  const target = relative(root, resolve(root, dirname(name), specifier)).split(sep);
  const inTest = name.endsWith(".test.ts");
  if (target[0] === "..") return inTest ? null : `"${specifier}" leaves src`;
  const to = layerOf(target);
  if (to === from || layer.folders.includes(to) || (inTest && layer.tests?.includes(to))) return null;
  const allowed = layer.folders.length > 0 ? `only itself and ${layer.folders.join(", ")}` : "nothing but itself";
  return `${from} imports ${to} ("${specifier}"); it may import ${allowed}`;
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
