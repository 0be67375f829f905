import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AgentSession } from "../core/agent.js";
import { SessionJudge } from "../core/session-judge.js";
import { profileFor } from "../programs/registry.js";
import { AgentSettings } from "./agent-settings.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-tuning-"));
  mkdirSync(join(home, "config"));
  mkdirSync(join(home, "project", "part"), { recursive: true });
  vi.stubEnv("ROUSE_HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const user = (text: string) => writeFileSync(join(home, "config", "config.toml"), `version = 1\n${text}`);
const project = (text: string) => writeFileSync(join(home, "project", ".rouse.toml"), `version = 1\n${text}`);
const settingsIn = (workspace: string | null) =>
  new AgentSettings(join(home, "config"), [], profileFor).settingsFor({
    name: "a",
    kind: "codex",
    tags: [] as string[],
    workspace,
  } as AgentSession);

it("an agent is judged by the stricter settings of the project that it works in", () => {
  user("[health]\nidle_timeout_minutes = 12\n");
  project("[health]\nidle_timeout_minutes = 3\n");
  expect(settingsIn(join(home, "project", "part")).idle_timeout_minutes).toBe(3);
  expect(settingsIn(home).idle_timeout_minutes).toBe(12);
  expect(settingsIn(null).idle_timeout_minutes).toBe(12);
});

it("an agent is judged by the traits of its program in the user's own profile", () => {
  const { traits } = profileFor("codex");
  const own = [{ id: "sketch", extends: "codex", traits: { ...traits, settleMs: 4321 } }];
  const tuning = new AgentSettings(join(home, "config"), [], (kind) => profileFor(kind, own));
  const session = {
    name: "a",
    kind: "sketch",
    tags: [],
    workspace: null,
    command: ["sketch"],
  } as unknown as AgentSession;
  expect(new SessionJudge(session, 0, tuning.settingsFor(session)).evidence.traits.settleMs).toBe(4321);
});

it("a project neither loosens a threshold nor switches the judging off", () => {
  user("[health]\nidle_timeout_minutes = 12\n");
  project("[health]\nidle_timeout_minutes = 600\nenabled = false\n");
  const { idle_timeout_minutes, isJudging } = settingsIn(join(home, "project"));
  expect({ idle_timeout_minutes, isJudging }).toEqual({ idle_timeout_minutes: 12, isJudging: true });
});

it("activity does not hold back a resume if the user turned the guard off, unless the project turns it on", () => {
  user("[resume]\nvalidate_activity = false\n");
  expect(settingsIn(home).isGuarded).toBe(false);
  project("[resume]\nvalidate_activity = true\n");
  expect(settingsIn(join(home, "project")).isGuarded).toBe(true);
});

it("a broken project file affects only itself", () => {
  user("[health]\nidle_timeout_minutes = 12\n");
  project("[health\n");
  expect(settingsIn(join(home, "project")).idle_timeout_minutes).toBe(12);
});

it("a setting counts as the user's own if it is in the user's file or in a variable, whatever a project says", () => {
  expect(settingsIn(join(home, "project")).own).toEqual({});
  project("[health]\nidle_timeout_minutes = 3\n");
  expect(settingsIn(join(home, "project"))).toMatchObject({ idle_timeout_minutes: 3, own: {} });
  user("[health]\nidle_timeout_minutes = 15\n");
  expect(settingsIn(join(home, "project"))).toMatchObject({
    idle_timeout_minutes: 3,
    own: { idle_timeout_minutes: 15 },
  });
  vi.stubEnv("ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES", "9");
  expect(settingsIn(home).own).toEqual({ idle_timeout_minutes: 9 });
});

it("the idle timeout for ending sessions counts as set if the user turns it on, and not if the user turns it off", () => {
  user("[health]\nauto_kill_on_idle = true\n");
  expect(settingsIn(home).own).toEqual({ idle_timeout_minutes: 15 });
  user("[health]\nauto_kill_on_idle = false\n");
  expect(settingsIn(home).own).toEqual({});
});

it("a syntax error in a file keeps the earlier settings, and a new setting applies within a minute", () => {
  let now = 0;
  const tuning = new AgentSettings(join(home, "config"), [], profileFor, () => now);
  const kills = () => {
    now += 60_000;
    return tuning.configOf({ workspace: home }).health.auto_kill_on_idle;
  };
  user("[health]\nauto_kill_on_idle = false\n");
  expect(kills()).toBe(false);
  user("[health\nauto_kill_on_idle = false\n");
  expect(kills()).toBe(false);
  user("[health]\nauto_kill_on_idle = maybe\n");
  expect(kills()).toBe(false);
  user("[health]\nauto_kill_on_idle = true\n");
  expect(kills()).toBe(true);
});
