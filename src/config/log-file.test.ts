import { spawn } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendLine, logTo, rotateLog } from "./log-file.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-log-"));
  path = join(folder, "daemon.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = (): string[] => readdirSync(folder).sort();
const lines = (): string[] =>
  files().flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1));

describe("a log file", () => {
  it("is rotated by size, and the oldest lines are removed with the oldest file", () => {
    for (let n = 0; n < 1000; n++) appendLine(path, `${n} ${"x".repeat(90)}\n`, { maxBytes: 5000, kept: 3 });
    expect(files()).toEqual(["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]);
    for (const name of files()) expect(statSync(join(folder, name)).size).toBeLessThan(5200);
    expect(readFileSync(path, "utf8")).toContain("\n999 ");
    const kept = lines()
      .map((line) => Number.parseInt(line, 10))
      .sort((a, b) => a - b);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 1000 - kept.length + n));
    expect(kept.length).toBeGreaterThan(150);
    for (const name of files()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("loses and tears no line while several processes append and rotate it", async () => {
    const script = `
      import { appendLine } from ${JSON.stringify(new URL("../../dist/config/log-file.js", import.meta.url).href)};
      for (let n = 0; n < 400; n++)
        appendLine(${JSON.stringify(path)}, process.argv[1] + " " + n + " " + "y".repeat(n % 200) + "\\n", { maxBytes: 3000, kept: 60 });
    `;
    const writers = ["a", "b", "c"].map((name) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, name], { stdio: "inherit" });
      return new Promise((resolve) => child.once("exit", resolve));
    });
    expect(await Promise.all(writers)).toEqual([0, 0, 0]);
    expect(files().length).toBeGreaterThan(5);
    const found = lines().map((line) => line.split(" "));
    for (const name of ["a", "b", "c"]) {
      const own = found.filter(([by]) => by === name);
      expect(own.map(([, n]) => Number(n)).sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, n) => n));
      for (const [, n, text] of own) expect(text).toHaveLength(Number(n) % 200);
    }
  }, 30_000);

  it("is rotated although a killed process left its lock", () => {
    writeFileSync(path, "x".repeat(6000));
    writeFileSync(`${path}.lock`, "");
    const before = Date.now() / 1000 - 3600;
    utimesSync(`${path}.lock`, before, before);
    for (let n = 0; n < 2; n++) appendLine(path, "a line\n", { maxBytes: 5000, kept: 1 });
    expect(files()).toEqual(["daemon.log", "daemon.log.1"]);
    expect(readFileSync(path, "utf8")).toBe("a line\n");
  });

  it("is standard error of the process or is left alone", () => {
    const fd = openSync(path, "a", 0o600);
    const other = openSync(join(folder, "other"), "a");
    writeFileSync(path, "x".repeat(2_000_000));
    logTo(path, other)("to the other\n");
    expect(files()).toEqual(["daemon.log", "other"]);
    logTo(path, fd)("by name\n");
    expect([files(), readFileSync(path, "utf8")]).toEqual([["daemon.log", "daemon.log.1", "other"], "by name\n"]);
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("to the other\n");
    closeSync(fd);
    closeSync(other);
  });

  it("of an earlier process is rotated before the next one starts", () => {
    rotateLog(path);
    writeFileSync(path, "x".repeat(2_000_000));
    rotateLog(path);
    expect(files()).toEqual(["daemon.log.1"]);
  });
});
