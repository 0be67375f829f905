import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { agent, TestLoop } from "../../test/support/loops.js";
import { loadConfig } from "../config/load.js";
import { rousePaths } from "../config/paths.js";
import type { Policy } from "../core/policy/policy.js";
import { profileFor } from "../programs/registry.js";
import { NodeHub } from "../work/node-hub.js";
import { AgentSettings } from "./agent-settings.js";
import { type LoopSetup, setUpLoop } from "./loop-setup.js";

let home: string;
let test: TestLoop;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-act-"));
  mkdirSync(join(home, "config", "policies"), { recursive: true });
  mkdirSync(join(home, "project", "part"), { recursive: true });
  vi.stubEnv("ROUSE_HOME", home);
  test = new TestLoop();
});
afterEach(() => {
  test.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const write = (path: string, text: string): void => writeFileSync(join(home, path), text);

function setUp(): LoopSetup {
  const paths = rousePaths();
  return setUpLoop(test.journal, test.hand.clock, {
    paths,
    config: loadConfig({ cwd: paths.config }).config,
    tuning: new AgentSettings(paths.config, [], profileFor),
    isOnlyWorkers: false,
    log: () => {},
    hub: new NodeHub({ state: paths.state, node: "test", instance: "i", version: "1" }),
    hostScript: "",
    release: "test",
    profileOf: profileFor,
    sensors: { transcriptOf: (session) => `/${session}.jsonl`, accountOf: () => null },
  });
}

/** The effective policy of an agent in this folder. */
const policyIn = (folder: string, named: string | null = null): Policy =>
  setUp().policyOf(agent({ workspace: join(home, folder), policy: named }));

const steps = (policy: Policy, problem: "silent_stream" | "repeated_error"): string[] =>
  (policy.plans[problem] ?? []).map((step) => step.do);

it("an agent whose project sets auto_kill_on_idle = false is not stopped for being idle, and another agent is", () => {
  write("project/.rouse.toml", "version = 1\n[health]\nauto_kill_on_idle = false\n");
  expect(steps(policyIn("project/part"), "silent_stream")).not.toContain("stop");
  expect(steps(policyIn("."), "silent_stream")).toContain("stop");
});

it("a user's policy that extends another one also follows the keys of the project", () => {
  write("config/policies/mine.toml", 'extends = "default"\n');
  write("project/.rouse.toml", "version = 1\n[health]\nauto_kill_on_idle = false\n");
  expect(steps(policyIn("project", "mine"), "silent_stream")).not.toContain("stop");
  expect(steps(policyIn(".", "mine"), "silent_stream")).toContain("stop");
});

it("a project can give up stopping on repeated errors, and cannot turn it on", () => {
  write("project/.rouse.toml", "version = 1\n[health]\nauto_kill_on_repeated_error = true\n");
  expect(steps(policyIn("project"), "repeated_error")).not.toContain("stop");
  write("config/config.toml", "version = 1\n[health]\nauto_kill_on_repeated_error = true\n");
  write("project/.rouse.toml", "version = 1\n[health]\nauto_kill_on_repeated_error = false\n");
  expect(steps(policyIn("project"), "repeated_error")).not.toContain("stop");
  expect(steps(policyIn("."), "repeated_error")).toContain("stop");
});

it("a project can let its agents wait longer after a limit without a known reset", () => {
  write("project/.rouse.toml", "version = 1\n[health]\nrate_limit_backoff_seconds = 300\n");
  expect(policyIn("project").limits.backoffMs).toBe(300_000);
  expect(policyIn(".").limits.backoffMs).toBe(60_000);
});

it("an effect knows the conversations that the other running agents have open, and leaves out ended agents", async () => {
  const { loop, effectContext } = setUp();
  const at = test.hand.wall;
  for (const session of ["dead", "other", "over"]) loop.register(agent({ id: session, name: session }));
  await loop.ingest("other", 1, [{ kind: "session", source: "transcript", id: "c1", at }]);
  await loop.ingest("over", 1, [{ kind: "exit", source: "process", code: 0, signal: null, at }]);
  expect(effectContext.others("dead")).toMatchObject([
    { name: "other", conversation: "c1", transcript: "/other.jsonl" },
  ]);
});
