import { describe, expect, it } from "vitest";
import type { PermissionsView } from "../../api/service/permissions.js";
import type { ActionView, IncidentView } from "../../daemon/views/incident-view.js";
import type { RecoveryView } from "../../daemon/views/recovery-view.js";
import { allowText, notRunningText, offText, unknownText } from "../commands/allow.js";
import { recoveryText } from "../commands/recover.js";
import { feedbackText, incidentsText, limitText, localTime, openText, phaseText, storyText } from "./incident.js";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const clock = (minutes: number): string => localTime(at(minutes), NOW);
const EIGHTY = { columns: 80 };

function incident(fields: Partial<IncidentView> = {}): IncidentView {
  return {
    id: "4k2j9xq01ab",
    agent: "api",
    session: "s",
    kind: "claude-code",
    problem: "silent_stream",
    earlier_problems: [],
    phase: "confirmed",
    opened_at: at(-12),
    since: at(-12),
    ended_at: null,
    level: "act",
    confidence: 0.9,
    until: null,
    reasons: ["No output for 12 min (screen, transcript)"],
    outage: null,
    acked_at: null,
    silenced_until: null,
    feedback: null,
    reopened: 0,
    policy: "default",
    allowed: true,
    actions: [],
    next: { do: "interrupt", at: at(1), reason: "interrupt comes later" },
    withheld_step: null,
    opinion: null,
    commands: ["rouse why api"],
    ...fields,
  };
}

const record = (name: ActionView["do"], result: ActionView["result"] = "done"): ActionView => ({
  at: at(-2),
  do: name,
  result,
  reason: "the turn ended",
  proven: result === "done" ? true : null,
});

const gist = (fields: Partial<IncidentView>): string =>
  incidentsText([incident(fields)], { columns: 200 }, NOW)
    .split("\n")[2]
    ?.trim() ?? "";

const LEFT = {
  phase: "escalated",
  next: { do: null, at: null, reason: "needs you: only you can resolve this" },
} as const;

describe("the table of incidents", () => {
  it("says that there are no incidents", () => {
    expect(incidentsText([], EIGHTY, NOW)).toBe("No incidents.\n");
  });

  it("fits into 80 columns for any incident", () => {
    const long = incident({
      agent: "an-agent-with-a-name-that-is-very-long-indeed",
      problem: "no_completion_signal",
      phase: "escalated",
      next: { do: null, at: null, reason: "w".repeat(300) },
    });
    const lines = incidentsText([incident(), long], EIGHTY, NOW).split("\n");
    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/^4k2j9xq0 {2}api .*silent_stream .*confirmed .*12 min$/);
  });

  it.each<[string, Partial<IncidentView>, string]>([
    ["the next step and its time", {}, `next: interrupt at ${clock(1)}: interrupt comes later`],
    [
      "the actions taken before it",
      { actions: [record("interrupt"), record("nudge", "refused")], next: { do: null, at: null, reason: "checking" } },
      `interrupted ${clock(-2)}, nudge ${clock(-2)} refused; checking`,
    ],
    [
      "the step that auto-recovery would take if it were on",
      { allowed: false },
      `would interrupt at ${clock(1)}, but auto-recovery is off (see \`rouse allow\`)`,
    ],
    [
      "the action that it would have taken",
      {
        withheld_step: "interrupt",
        phase: "escalated",
        next: {
          do: null,
          at: null,
          reason: "needs you: auto-recovery is off (see `rouse allow`)",
        },
      },
      "needs you: auto-recovery is off (would have interrupted it)",
    ],
    [
      "what resolves a problem that rouse never acts on",
      { ...LEFT, problem: "billing" },
      "needs you: check the account's credit or plan",
    ],
    [
      "the command that opens the terminal with a prompt",
      { ...LEFT, problem: "needs_input", commands: ["rouse go api"] },
      "needs you: answer its prompt (`rouse go api`)",
    ],
    ["a prompt in a terminal of the user", { ...LEFT, problem: "needs_input" }, "needs you: answer its prompt"],
    [
      "the end of a limit",
      { problem: "rate_limited", until: at(134), next: { do: "nudge", at: at(136), reason: "the limit holds" } },
      `limit resets at ${clock(134)} (in 2 h 14 min); next: nudge at ${clock(136)}: the limit holds`,
    ],
    ["an acknowledgement", { acked_at: at(0) }, "acknowledged: no further action by rouse"],
    ["the end of a silence", { silenced_until: at(60) }, `silenced until ${clock(60)}`],
    [
      "the recovery",
      { phase: "recovered", ended_at: at(-1), actions: [record("nudge")], next: null },
      `nudged ${clock(-2)}; recovered ${clock(-1)}`,
    ],
    [
      "that the problem is no longer seen",
      { phase: "closed", ended_at: at(-1), next: null },
      `no longer seen since ${clock(-1)}`,
    ],
  ])("shows %s", (_, fields, text) => {
    expect(gist(fields)).toBe(text);
  });

  it.each([
    ["silent_stream", "waits longer before it reports silent_stream for a"],
    ["needs_input", "Detection of needs_input has no threshold to adjust"],
  ] as const)("promises a longer wait after a false alarm only if there is a threshold: %s", (problem, text) => {
    expect(feedbackText(incident({ agent: "a", problem, feedback: "false-alarm" }))).toContain(text);
  });

  it("lists at most five open incidents below the table of agents, wrapped and not cut", () => {
    const many = Array.from({ length: 7 }, (_, n) => incident({ agent: `a${n}` }));
    const lines = openText([incident({ ended_at: at(0) }), ...many], EIGHTY, NOW)
      .trimEnd()
      .split("\n");
    expect(lines.filter((line) => line.startsWith("incident "))).toHaveLength(5);
    expect(lines[0]).toMatch(/^incident 4k2j9xq0 {2}a0: silent_stream, next: interrupt/);
    expect(lines.join("")).not.toContain("…");
    expect(lines.at(-1)).toBe("and 2 more open incidents; see `rouse incidents`");
    expect(openText(many.slice(1), EIGHTY, NOW)).toContain("and 1 more open incident; see `rouse incidents`");
    expect(openText([], EIGHTY, NOW)).toBe("");
  });
});

describe("the details of an incident", () => {
  it("list reasons, actions with outcomes, the next step and suggested commands", () => {
    const text = storyText(
      incident({ earlier_problems: ["frozen_screen"], actions: [record("interrupt")], reopened: 2 }),
      {},
      NOW,
    );
    expect(text.split("\n")).toEqual([
      "api: silent_stream, confirmed (incident 4k2j9xq01ab)",
      `  since ${clock(-12)}, confidence 0.9, previously frozen_screen`,
      "  reopened 2 times",
      "  No output for 12 min (screen, transcript)",
      "  policy default, auto-recovery is on",
      "",
      "Actions taken",
      `  ${clock(-2)}  interrupt: done, proven: the turn ended`,
      "",
      "Next step",
      `  next: interrupt at ${clock(1)}: interrupt comes later`,
      "",
      "Suggested commands",
      "  rouse why api",
      "",
    ]);
  });
});

describe("the next step in the details of an incident", () => {
  const nextOf = (fields: Partial<IncidentView>): string | undefined =>
    storyText(incident(fields), { columns: 120 }, NOW).split("\n\n")[2];

  it("names the command that would have allowed the action", () => {
    const off = {
      ...LEFT,
      withheld_step: "resume",
      next: { do: null, at: null, reason: "needs you: auto-recovery is off (see `rouse allow`)" },
    } as const;
    const text = "needs you: auto-recovery is off. rouse would have resumed it";
    expect(nextOf({ ...off, commands: ["rouse why api", "rouse allow api"] })).toBe(
      `Next step\n  ${text}; to allow that, run \`rouse allow api\``,
    );
    expect(nextOf(off)).toBe(`Next step\n  ${text}`);
  });

  it("is none after an acknowledgement, which is shown in place of the phase", () => {
    expect(nextOf({ acked_at: at(0) })).toBe("Next step\n  none: you acknowledged this incident");
    const phases = [{ acked_at: at(0) }, { silenced_until: at(60) }, { acked_at: at(-2), ended_at: at(-1) }];
    expect(phases.map((fields) => phaseText(incident(fields)))).toEqual(["acknowledged", "silenced", "confirmed"]);
  });
});

describe("the text of a limit", () => {
  it("gives the reset time, and is null for any other state", () => {
    expect(limitText({ state: "rate_limited", until: at(134) }, NOW)).toBe(
      `limit resets at ${clock(134)} (in 2 h 14 min)`,
    );
    expect(limitText({ state: "rate_limited", until: null }, NOW)).toBe("reset time unknown");
    expect(limitText({ state: "working", until: at(1) }, NOW)).toBeNull();
  });
});

describe("the list of permissions", () => {
  const row = (fields: Partial<PermissionsView["agents"][number]>): PermissionsView["agents"][number] => ({
    agent: "api",
    origin: "spawn",
    allowed: false,
    except: [],
    until: null,
    by: null,
    ...fields,
  });

  it("is empty at first and names the command to allow recovery", () => {
    const text = allowText({ all: null, agents: [], never: [] }, EIGHTY, NOW);
    expect(text).toMatch(/^Auto-recovery is off for all agents.*`rouse allow --all`/);
  });

  it("shows the end, the exceptions and why an agent is not allowed", () => {
    const text = allowText(
      {
        all: { allowed: true, except: ["rate_limited"], until: at(480) },
        agents: [
          row({ allowed: true, by: "all", except: ["rate_limited"], until: at(480) }),
          row({ agent: "web", origin: "tmux" }),
          row({ agent: "db", by: "name" }),
        ],
        never: [],
      },
      { columns: 120 },
      NOW,
    );
    const end = `, except rate_limited, until ${clock(480)}`;
    expect(text.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      `Auto-recovery is on for all agents that rouse starts${end}. Turned off by name: db.`,
      "AGENT ORIGIN ALLOWED WHY",
      `api spawn yes started by rouse${end}`,
      "web tmux no adopted: allow it by name",
      "db spawn no turned off by name",
      "",
    ]);
  });
});

describe("the heading of the permissions", () => {
  const agent = (name: string, allowed: boolean): PermissionsView["agents"][number] => ({
    agent: name,
    origin: "spawn",
    allowed,
    except: [],
    until: null,
    by: allowed ? "name" : null,
  });

  it("counts the agents with auto-recovery among those shown", () => {
    const text = allowText({ all: null, agents: [agent("api", true), agent("web", false)], never: [] }, EIGHTY, NOW);
    expect(text).toMatch(/^Auto-recovery is on for 1 of 2 agents:\n/);
    expect(text).toMatch(/^web +spawn +no +not allowed yet$/m);
  });

  it("is preceded by the effect of a denial by name", () => {
    expect(offText(["web", "web"])).toBe("Auto-recovery is off for web, even if it is on for all agents.\n");
  });
});

describe("a name that no running agent has", () => {
  const running: PermissionsView = {
    all: null,
    agents: [
      { agent: "worker", origin: "spawn", allowed: false, except: [], until: null, by: null },
      { agent: "later", origin: null, allowed: true, except: [], until: null, by: "name" },
      { agent: "wroker", origin: null, allowed: false, except: [], until: null, by: "name" },
    ],
    never: [],
  };

  it("is permitted from its start on, and shown without control bytes", () => {
    expect(notRunningText(["worker", "wroker", "a\u001b[31mb", "wroker"], running)).toBe(
      "wroker is not running; the permission applies when it starts.\n" +
        "a [31mb is not running; the permission applies when it starts.\n",
    );
  });

  it("is refused with the nearest name, unless it is permitted already", () => {
    expect(unknownText(["worker", "later"], ["worker", "later"])).toBeNull();
    expect(unknownText(["wroker"], ["worker", "later"])).toBe(
      'no agent named "wroker"; did you mean worker? available: worker, later. To allow it before it starts, add --future',
    );
    expect(unknownText(["a\u001b[31mb"], [])).toBe(
      'no agent named "a [31mb"; available: none. To allow it before it starts, add --future',
    );
  });

  it("is listed while something is set for it", () => {
    const names = (view: PermissionsView): string[] =>
      allowText(view, EIGHTY, NOW)
        .split("\n")
        .flatMap((line) => /^(worker|later|wroker) /.exec(line)?.[1] ?? []);
    const unset = running.agents.map((one) => (one.agent === "wroker" ? { ...one, by: null } : one));
    expect(names(running)).toEqual(["worker", "later", "wroker"]);
    expect(names({ ...running, agents: unset })).toEqual(["worker", "later"]);
  });
});

describe("a recovery", () => {
  const view = (fields: Partial<RecoveryView>): RecoveryView => ({
    agent: "api",
    state: "error",
    incident: "4k2j9xq01ab",
    problem: "api",
    dry_run: false,
    steps: [],
    reason: "because",
    next: null,
    next_check_at: null,
    busy: false,
    ...fields,
  });
  const step = { do: "nudge", say: "continue", result: "done", reason: "a turn started", proven: true } as const;

  it.each<[string, Partial<RecoveryView>, string]>([
    [
      "Actions taken",
      { steps: [step], reason: "checking" },
      "Nudged api: a turn started\nChecking\nSee `rouse incidents 4k2j9xq0` (api).\n",
    ],
    [
      "what was refused",
      { steps: [{ ...step, result: "refused", reason: "a draft stands there" }], reason: "a draft stands there" },
      "Nudge of api refused: a draft stands there\nSee `rouse incidents 4k2j9xq0` (api).\n",
    ],
    ["what it would do", { dry_run: true, next: { do: "nudge", say: null } }, "Would nudge api: because\n"],
    [
      "what it waits for",
      { dry_run: true, next: { do: "nudge", say: null }, next_check_at: at(5) },
      `No action for api (error): because, next check ${clock(5)}\nThen: nudge\n`,
    ],
    [
      "that nothing is wrong",
      { incident: null, problem: null, state: "working" },
      "No action needed: api has no open problem (working).\n",
    ],
    [
      "that it never answers a prompt",
      { state: "needs_input", problem: "needs_input", dry_run: true },
      "No action taken: api has an open prompt that only you can answer. Run `rouse go api`.\n",
    ],
    [
      "what resolves a problem that rouse never acts on",
      { problem: "billing", dry_run: true },
      "No action taken: api needs you: check the account's credit or plan.\n",
    ],
    [
      "that another action is under way",
      { incident: null, problem: null, state: "working", busy: true },
      "No action for api (working): because\n",
    ],
  ])("says %s", (_, fields, text) => {
    expect(recoveryText(view(fields), NOW)).toBe(text);
  });
});
