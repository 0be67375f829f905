import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { askRunner } from "../ask.js";
import { commandRunner, programRunner } from "./program.js";
import type { RunnerLimits } from "./runner.js";

/** Installed, and permitted to make namespaces. */
const isPossible = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;
if (!isPossible) console.log("skipped: bubblewrap is not installed, or may not make namespaces");

const before = { ...process.env };
let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-sandbox-"));
  home = join(folder, "home");
  mkdirSync(join(home, "bin"), { recursive: true });
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, "secret"), "s");
  writeFileSync(join(home, ".codex/auth.json"), "login");
  Object.assign(process.env, { HOME: home, PATH: `${join(home, "bin")}:${before.PATH}` });
});
afterEach(() => {
  Object.assign(process.env, { HOME: before.HOME, PATH: before.PATH });
  rmSync(folder, { recursive: true, force: true });
});

const limits = (more: Partial<RunnerLimits> = {}): RunnerLimits => ({
  timeoutMs: 30_000,
  totalMs: 30_000,
  signal: new AbortController().signal,
  ...more,
});
const cage = () => ({ folder: join(folder, "cage"), environment: [], sandbox: true });
const PROMPT = { system: "RULES", user: "STATE" };

/** A program in the user's own folder of programs. */
function install(name: string, script: string): string {
  const path = join(home, "bin", name);
  writeFileSync(path, `#!${process.execPath}\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe.skipIf(!isPossible)("a model program with tools", () => {
  it("sees its login and an empty folder, and nothing else of the user", async () => {
    const script = `
      const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
      const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
      const seen = {
        home: readdirSync(${JSON.stringify(home)}).sort(),
        secret: attempt(() => readFileSync(${JSON.stringify(join(home, "secret"))}, "utf8")),
        login: attempt(() => readFileSync(${JSON.stringify(join(home, ".codex/auth.json"))}, "utf8")),
        outside: attempt(() => writeFileSync("/etc/rouse-test", "x")),
        tmp: readdirSync(${JSON.stringify(tmpdir())}),
        processes: readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,
        cwd: readdirSync("."),
      };
      writeFileSync("answer.json", JSON.stringify({ diagnosis: JSON.stringify(seen), slack_message: null, actions: [] }));
    `;
    install("codex", script);
    const other = mkdtempSync(join(tmpdir(), "rouse-other-"));
    onTestFinished(() => rmSync(other, { recursive: true }));
    const { answer, reason } = await askRunner(programRunner("codex", "", cage()), PROMPT, limits());
    expect(reason).toBeNull();
    const seen = JSON.parse(answer?.diagnosis ?? "{}") as Record<string, unknown>;
    expect(seen).toMatchObject({
      home: [".codex", "bin"],
      secret: "ENOENT",
      login: "login",
      outside: expect.stringMatching(/^E(?:ROFS|ACCES)$/),
      cwd: ["schema.json"],
    });
    expect(seen.tmp).toContain(basename(folder));
    expect(seen.tmp).not.toContain(basename(other));
    expect(seen.processes).toBeLessThan(4);
    expect(readdirSync(join(folder, "cage"))).toEqual([]);
  });

  it("is ended at its time limit with everything that it started, also in its own namespace", async () => {
    const command = install(
      "ask",
      `
      require("node:child_process").spawn("sleep", ["613"], { detached: true, stdio: "ignore" });
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
    `,
    );
    const { reason } = await askRunner(commandRunner([command], cage()), PROMPT, limits({ totalMs: 2500 }));
    expect(reason).toMatch(/did not answer within \d s$/);
    expect(readdirSync("/proc").filter((pid) => commandOf(pid) === "sleep\u0000613\u0000")).toEqual([]);
  });

  it("that is not installed is one clear error", async () => {
    expect((await askRunner(programRunner("gemini", "", cage()), PROMPT, limits())).reason).toBe(
      "gemini: program not found",
    );
  });
});

describe("without a sandbox", () => {
  const asked = async () => {
    const ask = install("ask", `console.log('{"diagnosis":"ran","actions":[]}')`);
    return askRunner(commandRunner([ask], cage()), PROMPT, limits());
  };

  it("because bubblewrap is not installed, the program does not run, and the error names both ways out", async () => {
    process.env.PATH = join(home, "bin");
    expect(await asked()).toMatchObject({
      answer: null,
      reason: expect.stringMatching(
        /^a sandbox for .*ask needs bubblewrap \(the program bwrap\): install it, or set diagnosis\.sandbox = false, which lets .*ask read your files$/,
      ),
    });
  });

  it("because the kernel forbids it, the program does not run, and the error quotes bubblewrap", async () => {
    install("bwrap", `console.error("bwrap: No permissions to create new namespace"); process.exit(1);`);
    expect(await asked()).toMatchObject({
      answer: null,
      reason:
        "the sandbox cannot be built (bwrap: No permissions to create new namespace); allow user namespaces, or set diagnosis.sandbox = false",
    });
  });

  it("because the user switched it off, the program runs", async () => {
    const ask = install("ask", `console.log('{"diagnosis":"ran","actions":[]}')`);
    const runner = commandRunner([ask], { ...cage(), sandbox: false });
    expect(await askRunner(runner, PROMPT, limits())).toMatchObject({ answer: { diagnosis: "ran" } });
  });
});
