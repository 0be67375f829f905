import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { identityOf } from "../sensors/process/process-sensor.js";
import { type CheckLeader, endLeftCheck, OUTPUT_KEPT, runCheck } from "./verify.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-check-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const node = (script: string): string[] => [process.execPath, "-e", script];
const check = (command: readonly string[], limitMs = 20_000) => runCheck({ command, folder, limitMs });

/** The pid that a check wrote into a file of its workspace. */
async function pidIn(name: string): Promise<number> {
  for (let tries = 0; tries < 400 && !existsSync(join(folder, name)); tries++) await sleep(25);
  for (let tries = 0; tries < 40 && readFileSync(join(folder, name), "utf8") === ""; tries++) await sleep(25);
  return Number(readFileSync(join(folder, name), "utf8"));
}

const leavesChild = (options: string, then: string): string[] =>
  node(`
    const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], ${options});
    child.unref();
    require("fs").writeFileSync("pid", String(child.pid));
    ${then}
  `);

describe("the check of a task", () => {
  it("verifies if it exits with 0, and runs in the workspace", async () => {
    writeFileSync(join(folder, "here"), "");
    const result = await check(node('process.exit(require("fs").existsSync("here") ? 0 : 1)'));
    expect(result).toMatchObject({ verification: "verified", text: expect.stringContaining("passed") });
  });

  it("contradicts if it exits with another code, and keeps the end of its output", async () => {
    const result = await check(
      node('console.log("x".repeat(300000)); console.error("2 tests failed"); process.exitCode = 3'),
    );
    expect(result).toMatchObject({ verification: "contradicted", text: expect.stringContaining("exited with 3") });
    expect(result.output).toContain("2 tests failed");
    expect(result.output.length).toBeLessThanOrEqual(OUTPUT_KEPT);
  });

  it("is an argument array: no shell reads it", async () => {
    const result = await check([...node("console.log(process.argv[1])"), "$(touch made); touch made"]);
    expect(result.output).toBe("$(touch made); touch made");
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("keeps neither control bytes nor secrets of its output", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const result = await check(node(`process.stdout.write("\\x1b]0;t\\x07\\x1b[31mred ${secret}\\n")`));
    expect(result.output).toContain("red");
    expect(result.output).not.toContain(secret);
    expect(result.output).not.toMatch(/[\u0000-\u0008\u001b]/);
  });

  it("verifies nothing if it cannot be started or has no workspace", async () => {
    expect(await check(["no-such-program-of-rouse"])).toMatchObject({
      verification: "unverified",
      text: expect.stringContaining("could not be started"),
    });
    const elsewhere = { command: ["true"], limitMs: 1000 };
    expect((await runCheck({ ...elsewhere, folder: null })).text).toContain("no workspace");
    expect((await runCheck({ ...elsewhere, folder: join(folder, "gone") })).text).toContain("does not exist");
    writeFileSync(join(folder, "file"), "");
    expect((await runCheck({ ...elsewhere, folder: join(folder, "file") })).text).toContain("is not a folder");
  });

  it("is ended after its time limit with everything that it started, also what left its group", async () => {
    for (const options of ['{ stdio: "inherit" }', '{ stdio: "ignore", detached: true }']) {
      rmSync(join(folder, "pid"), { force: true });
      const running = check(
        leavesChild(options, 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'),
        2_000,
      );
      const pid = await pidIn("pid");
      expect(identityOf(pid)).not.toBeNull();
      expect(await running).toMatchObject({
        verification: "unverified",
        text: expect.stringContaining("did not finish within 2 s and was ended"),
      });
      expect(identityOf(pid)).toBeNull();
    }
  });

  it("leaves no process behind when it passes", async () => {
    const result = await check(leavesChild('{ stdio: "inherit" }', ""));
    expect(result.verification).toBe("verified");
    expect(identityOf(await pidIn("pid"))).toBeNull();
  });

  it("says nothing about the work if something else killed it", async () => {
    expect(await check(node('process.kill(process.pid, "SIGKILL")'))).toMatchObject({
      verification: "unverified",
      text: expect.stringContaining("was ended by SIGKILL"),
    });
  });

  it("is not told which agent or repository it runs for", async () => {
    process.env.GIT_DIR = "/elsewhere";
    process.env.ROUSE_SESSION = "s";
    try {
      const { output } = await check(node("console.log(process.env.GIT_DIR, process.env.ROUSE_SESSION)"));
      expect(output).toBe("undefined undefined");
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.ROUSE_SESSION;
    }
  });

  it("that a restart interrupted is ended by its leader and its mark, never by a pid that was reused", async () => {
    let leader: CheckLeader | null = null;
    const running = runCheck({
      command: leavesChild('{ stdio: "ignore", detached: true }', "setInterval(() => {}, 1000)"),
      folder,
      limitMs: 60_000,
      started: (found) => {
        leader = found;
      },
    });
    const pid = await pidIn("pid");
    const known = leader as unknown as CheckLeader;
    await endLeftCheck({ ...known, start: "another", mark: "another" });
    expect(identityOf(known.pid)).toBe(known.start);
    await endLeftCheck(known);
    expect([identityOf(known.pid), identityOf(pid)]).toEqual([null, null]);
    expect((await running).verification).toBe("unverified");
  });
});
