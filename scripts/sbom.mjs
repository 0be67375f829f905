#!/usr/bin/env node
/**
 * `npm run sbom`: prints the packages that are installed with rouse, of all platforms, in the versions of the lock file
 * (CycloneDX).
 *
 * `npm sbom --omit=dev` in the checkout leaves out every package that a development package needs too (zod and hono, with
 * npm 10 and 11). So it gets a lock file without development packages.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publishedManifest } from "./pack.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "rouse-sbom-"));
try {
  // The document is named after the folder.
  const stage = join(folder, "rouse");
  mkdirSync(stage);
  const manifest = publishedManifest();
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const { devDependencies: _, ...own } = lock.packages[""];
  writeFileSync(join(stage, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(stage, "package-lock.json"),
    JSON.stringify({ ...lock, packages: { "": own, ...Object.fromEntries(packages) } }),
  );
  const printed = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"], {
    cwd: stage,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { components } = JSON.parse(printed);
  if (components.length !== packages.length)
    throw new Error(`${components.length} of ${packages.length} packages are listed`);
  process.stdout.write(printed);
} catch (error) {
  process.stderr.write(`sbom: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
