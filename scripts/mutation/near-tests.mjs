/** The tests that import a file, directly or through other files; the nearest first. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, resolve, sep } from "node:path";

const IMPORTS = /(?:^|\n)\s*(?:import|export)\s+(?!type\s)(?:[^;"']*?\sfrom\s+)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g;

export function readImports(root, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  const importers = new Map();
  for (const file of files)
    for (const [, named, called] of readFileSync(resolve(root, file), "utf8").matchAll(IMPORTS)) {
      const target = normalize(join(dirname(file), named ?? called)).replace(/\.js$/, ".ts");
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  return importers;
}

export function nearTests(importers, file, isTest) {
  const distances = new Map([[file, 0]]);
  for (const from of distances.keys())
    for (const importer of importers.get(from) ?? [])
      if (!distances.has(importer)) distances.set(importer, distances.get(from) + 1);
  const own = basename(file, ".ts");
  const tests = [...distances].filter(([name]) => name.endsWith(".test.ts") && isTest(name));
  const rank = ([name, distance]) => [
    basename(name).startsWith(`${own}.`) ? 0 : 1,
    distance,
    dirname(name) === dirname(file) ? 0 : 1,
  ];
  const compare = (a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const place = left.findIndex((value, at) => value !== right[at]);
    return place < 0 ? (a[0] < b[0] ? -1 : 1) : left[place] - right[place];
  };
  return tests.sort(compare).map(([name]) => name.split(sep).join("/"));
}
