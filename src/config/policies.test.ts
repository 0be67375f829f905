import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { HUMAN_ONLY } from "../core/incidents/problem.js";
import { POLICIES } from "../core/policy/builtin.js";
import { type ConfigIssue, issueText } from "./issue.js";
import { toConfig } from "./keys.js";
import { loadPolicies, policyFor } from "./policies.js";
import { parsePolicy } from "./policy-file.js";
import { policyFields } from "./policy-schema.js";

const config = toConfig(new Map());
const health = { ...config.health, auto_resume_hours: config.check.auto_resume_hours };
const known = (name: string) => POLICIES[name as keyof typeof POLICIES] ?? `unknown policy ${JSON.stringify(name)}`;

function homeWith(files: Record<string, string>): { ROUSE_HOME: string } {
  const home = mkdtempSync(join(tmpdir(), "rouse-policies-"));
  const folder = join(home, "config", "policies");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { ROUSE_HOME: home };
}

describe("a user's own policy", () => {
  it("contains only what it changes", () => {
    const { policy } = parsePolicy(
      "night",
      `extends = "default"
confirm_seconds = 20
[budgets]
agent = { times = 3, minutes = 30 }
[plans]
tool_hang = [{ do = "end_child", when = { origins = ["spawn"] } }, { do = "run", command = ["notify", "it hangs"] }]
`,
      known,
    );
    expect(policy).toMatchObject({
      name: "night",
      confirmMs: 20_000,
      budgets: { incident: 12, agent: { times: 3, periodMs: 1_800_000 } },
      limits: POLICIES.default.limits,
    });
    expect(policy.plans.silent_stream).toBe(POLICIES.default.plans.silent_stream);
    expect(policy.plans.tool_hang).toEqual([
      {
        do: "end_child",
        when: { level: "act", afterMs: 0, origins: ["spawn"] },
        limit: 1,
        waitMs: 120_000,
        proof: "child_gone",
      },
      {
        do: "run",
        when: { level: "act", afterMs: 0, origins: null },
        limit: 1,
        waitMs: 120_000,
        proof: "none",
        command: ["notify", "it hangs"],
      },
    ]);
  });

  it.each([
    ["[plans]\nneeds_input = [{ do = 'nudge' }]", "only you can resolve this problem"],
    [
      "[plans]\nover_budget = [{ do = 'interrupt' }, { do = 'stop' }]",
      "only interrupt and run are permitted for this problem",
    ],
    ["[plans]\nloop = [{ do = 'shout' }]", "plans.loop.0.do: expected one of nudge, interrupt, "],
    ["[plans]\nboredom = []", "plans.boredom: unknown key; expected one of silent_stream, "],
    [
      "[plans]\nloop = [{ do = 'nudge', when = { since = 3 } }]",
      "plans.loop.0.when.since: unknown key; expected one of level, ",
    ],
    [
      "[budgets]\nmachine = { times = 1, minutes = 60 }",
      "budgets.machine: unknown key; expected one of incident, agent, node, agent_restarts, node_restarts",
    ],
    ["[plans]\nloop = [{ do = 'run' }]", "run needs a command"],
    ["[plans]\nloop = [{ do = 'nudge', command = ['rm'] }]", "no other step may have one"],
    ["[plans]\nloop = [{ do = 'nudge', limit = 1000 }]", "limit"],
    ["[budgets]\nagent = { times = 1, minutes = 100000 }", "budgets.agent.minutes"],
    ["extends = 'missing'", 'unknown policy "missing"'],
    ["confirm = 3", "confirm: unknown key; expected one of extends, "],
    ["x = ", "Invalid TOML"],
  ])("is refused with the position of its error: %s", (text, complaint) => {
    expect(() => parsePolicy("p", text, known)).toThrow(complaint);
  });

  it("names the file, the line and the key of an error", () => {
    const env = homeWith({ "night.toml": 'description = "x"\n\n[budgets]\nmachine = { times = 1, minutes = 60 }\n' });
    const [issue] = loadPolicies(health, env).issues;
    expect(issueText(issue as ConfigIssue)).toMatch(
      /night\.toml:4:1: budgets\.machine: unknown key; .*; the policy is not used$/,
    );
  });

  it("may extend another one in any order of their names, but not itself", () => {
    const env = homeWith({
      "a.toml": 'extends = "night"',
      "night.toml": "confirm_seconds = 7",
      "b.toml": 'extends = "c"',
      "c.toml": 'extends = "b"',
      "d.toml": 'extends = "nigth"',
    });
    const { policies, issues } = loadPolicies(health, env);
    expect(policies.get("a")?.policy.confirmMs).toBe(7000);
    expect([...policies.keys()]).toEqual([...Object.keys(POLICIES), "a", "night"]);
    expect(issues.map(({ where, text }) => [basename(where), text])).toEqual([
      ["b.toml", expect.stringContaining('extends: the policy "c" has an error')],
      ["c.toml", expect.stringContaining("extends: b extends c extends b: a circle")],
      ["d.toml", expect.stringContaining('extends: unknown policy "nigth"')],
    ]);
  });

  it.each(Object.values(POLICIES))("can be a copy of $name, in the keys that `policy show --json` prints", (policy) => {
    const copy = parsePolicy(policy.name, stringify(policyFields(policy)), () => POLICIES.observe).policy;
    expect(copy).toEqual({ ...policy, autoResumeMs: POLICIES.observe.autoResumeMs });
  });

  it("applies to the agents and tags that it names; a missing policy gives no rights", () => {
    const env = homeWith({
      "night.toml": `tags = ["night"]`,
      "strict.toml": `extends = "observe"\nagents = ["prod"]`,
      "default.toml": "",
      "broken.toml": "[plans]\nauth = [{ do = 'nudge' }]",
    });
    const { policies, issues } = loadPolicies(health, env);
    const of = (name: string, tags: string[], policy: string | null = null) =>
      policyFor(policies, { name, tags, policy }, "default").name;
    expect([of("x", []), of("x", ["night"]), of("prod", ["night"]), of("prod", [], "aggressive")]).toEqual([
      "default",
      "night",
      "strict",
      "aggressive",
    ]);
    expect(policyFor(policies, { name: "x", tags: [], policy: null }, "gone").name).toBe("observe");
    expect(policyFor(policies, { name: "x", tags: [], policy: "defualt" }, "default").name).toBe("observe");
    expect(issues.map(({ where, level }) => [where.split("/").at(-1), level])).toEqual([
      ["broken.toml", "error"],
      ["default.toml", "error"],
    ]);
  });
});

describe("the keys of agents.health", () => {
  const ends = (name: "default", problem: "silent_stream" | "repeated_error", keys: Partial<typeof health>) =>
    loadPolicies({ ...health, ...keys }, homeWith({}))
      .policies.get(name)
      ?.policy.plans[problem]?.some((step) => step.do === "stop");

  it("have their documented effect in a policy", () => {
    expect(ends("default", "silent_stream", {})).toBe(true);
    expect(ends("default", "silent_stream", { auto_kill_on_idle: false })).toBe(false);
    expect(ends("default", "repeated_error", {})).toBe(false);
    expect(ends("default", "repeated_error", { auto_kill_on_repeated_error: true })).toBe(true);
    const { policies } = loadPolicies({ ...health, rate_limit_backoff_seconds: 5, enabled: false }, homeWith({}));
    expect(policies.get("default")?.policy.plans).toEqual({});
  });

  it("give the built-in policies no step for a human-only problem", () => {
    for (const policy of Object.values(POLICIES))
      for (const problem of HUMAN_ONLY) expect(policy.plans[problem] ?? []).toEqual([]);
  });
});
