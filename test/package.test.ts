/** What is installed with rouse, and what the documentation says about it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Locked {
  dev?: boolean;
  cpu?: string[];
  integrity?: string;
  hasInstallScript?: boolean;
}
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
const nameOf = ([path]: [string, Locked]): string => path.replace(/^.*node_modules\//, "");

it("the SBOM lists every package that is installed with rouse, of all platforms", () => {
  const printed = execFileSync(process.execPath, ["scripts/sbom.mjs"], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  const { components } = JSON.parse(printed) as { components: { purl: string; hashes?: object[] }[] };
  const listed = components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\/|@[^@]*$/g, ""));
  expect(listed.sort()).toEqual(installed.map(nameOf).sort());
  expect(components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
});

it("the security page gives the number of packages, and the one with an install script", () => {
  const builds = installed.filter(([, { cpu }]) => cpu !== undefined).length;
  const page = read("docs/security.md");
  // A platform needs one of the builds of the terminal.
  expect(/The package has (\d+) dependencies/.exec(page)?.[1]).toBe(String(installed.length - builds + 1));
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(nameOf);
  expect(scripted).toEqual(["@photostructure/sqlite"]);
  expect(/declares an install script, `([^`]+)`/.exec(page)?.[1]).toBe(scripted[0]);
});
