#!/usr/bin/env node
/**
 * `npm run pack`: writes the package that is published, rouse-VERSION.tgz.
 *
 * The package.json inside has no scripts and no development packages. Scripts are for the checkout: a package without any
 * runs nothing on a user's machine, whatever npm does with `prepare`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
/** Fields that only matter in a checkout. */
const LEFT_OUT = ["scripts", "devDependencies", "overrides", "allowScripts"];

const ownManifest = () => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

export const publishedManifest = (manifest = ownManifest()) =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => !LEFT_OUT.includes(name)));

/** Packs the built checkout into `folder` and returns the path of the file. */
export function packInto(folder) {
  if (!existsSync(join(root, "dist/cli/main.js"))) throw new Error("this checkout is not built; run: npm ci");
  const stage = mkdtempSync(join(tmpdir(), "rouse-pack-"));
  try {
    const manifest = ownManifest();
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
    const kept = [...manifest.files.filter((name) => !name.startsWith("!")), "README.md", "LICENSE"];
    for (const name of kept) cpSync(join(root, name), join(stage, name), { recursive: true });
    const printed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
      cwd: stage,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return join(folder, JSON.parse(printed)[0].filename);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${packInto(root)}\n`);
  } catch (error) {
    process.stderr.write(`pack: ${error.message}\n`);
    process.exitCode = 1;
  }
}
