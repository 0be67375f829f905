import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-bin-"));
  mkdirSync(join(root, "bin"));
  cpSync(join(import.meta.dirname, "..", "bin", "rouse"), join(root, "bin", "rouse"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, join(root, "bin", "rouse"), "status"], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("bin/rouse", () => {
  it("says what to do in a checkout that is not built", () => {
    const { status, stderr } = run();
    expect(stderr).toMatch(/^rouse: this checkout is not built, run: npm ci\n/);
    expect(status).toBe(1);
  });

  it("runs the built command line", () => {
    mkdirSync(join(root, "dist", "cli"), { recursive: true });
    writeFileSync(join(root, "dist", "cli", "main.js"), 'console.log("started");');
    expect(run()).toEqual({ status: 0, stdout: "started\n", stderr: "" });
  });

  it("names the required version if Node.js is too old", () => {
    writeFileSync(
      join(root, "old.cjs"),
      'Object.defineProperty(process.versions, "node", { value: "20.18.3" });' +
        'Object.defineProperty(process, "version", { value: "v20.18.3" });',
    );
    const { status, stderr } = run("--require", join(root, "old.cjs"));
    expect(stderr).toBe("rouse: Node.js 20.19 or newer is needed, this is v20.18.3\n");
    expect(status).toBe(1);
  });
});
