import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentSession } from "../../core/agent.js";
import { keepCheckpoint, type StopCheckpoint } from "./checkpoint.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-checkpoint-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STARTED = Date.now() - 60_000;

async function kept(agent: Partial<AgentSession> = {}): Promise<StopCheckpoint> {
  const session = { id: "s1", name: "a", kind: "codex", workspace: null, startedAt: STARTED, ...agent } as AgentSession;
  const paths = { state: folder };
  const path = await keepCheckpoint(session, { at: 5, reason: "stop", evidence: null, transcript: null, paths });
  return JSON.parse(readFileSync(path, "utf8"));
}

describe("the checkpoint before a stop", () => {
  it("has no files and no commit if the working directory is unknown", async () => {
    expect(await kept()).toMatchObject({ session: "s1", workspace: null, git: null, written: [], transcript: null });
  });

  it("names the files that were written since the session started, and no older ones", async () => {
    const workspace = join(folder, "work");
    mkdirSync(workspace);
    execFileSync("git", ["init", "--quiet"], { cwd: workspace });
    for (const name of ["old.txt", "new.txt"]) writeFileSync(join(workspace, name), name);
    utimesSync(join(workspace, "old.txt"), STARTED / 1000 - 10, STARTED / 1000 - 10);
    const checkpoint = await kept({ workspace });
    expect(checkpoint.written).toEqual(["new.txt"]);
    expect(checkpoint.git).not.toBeNull();
  });

  it("is kept with the 499 newest ones before it", async () => {
    const checkpoints = join(folder, "checkpoints");
    mkdirSync(checkpoints, { mode: 0o700 });
    for (let n = 0; n < 502; n++) {
      const path = join(checkpoints, `old-${n}.json`);
      writeFileSync(path, "{}");
      utimesSync(path, 1000 + n, 1000 + n);
    }
    await kept();
    const left = readdirSync(checkpoints);
    expect(left).toHaveLength(500);
    expect(left).toContain("s1-5.json");
    expect(left).toContain("old-3.json");
    expect(left).not.toContain("old-2.json");
  });
});
