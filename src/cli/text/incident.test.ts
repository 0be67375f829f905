import { describe, expect, it } from "vitest";
import type { PermissionsView } from "../../api/service/permissions.js";
import type { ActionView, IncidentView } from "../../daemon/views/incident-view.js";
import type { RecoveryView } from "../../daemon/views/recovery-view.js";
import { allowText, strangersText } from "../commands/allow.js";
import { recoveryText } from "../commands/recover.js";
import { feedbackText, incidentsText, limitText, localTime, openText, storyText } from "./incident.js";

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
    chain: [],
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
    wouldDo: null,
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

describe("incidents in a table", () => {
  it("say that there is none", () => {
    expect(incidentsText([], EIGHTY, NOW)).toBe("no incident\n");
  });

  it("fit into 80 columns, whatever is in them", () => {
    const long = incident({
      agent: "an-agent-with-a-name-that-is-very-long-indeed",
      problem: "no_completion_signal",
      phase: "escalated",
      next: { do: null, at: null, reason: "w".repeat(300) },
    });
    const lines = incidentsText([incident(), long], EIGHTY, NOW).split("\n");
    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/^4k2j9xq0 {2}api .*silent_stream .*confirmed .*12 m$/);
  });

  it.each<[string, Partial<IncidentView>, string]>([
    ["what comes and when", {}, `next: interrupt at ${clock(1)}: interrupt comes later`],
    [
      "what was done before it",
      { actions: [record("interrupt"), record("nudge", "refused")], next: { do: null, at: null, reason: "checking" } },
      `interrupted ${clock(-2)}, nudge ${clock(-2)} refused; checking`,
    ],
    [
      "what would come, were it allowed",
      { allowed: false },
      `rouse would interrupt at ${clock(1)}, and is not allowed to; see "rouse allow"`,
    ],
    [
      "what it would have done",
      {
        wouldDo: "interrupt",
        phase: "escalated",
        next: {
          do: null,
          at: null,
          reason: "silent_stream: a human is needed: acting is not allowed; see `rouse allow`",
        },
      },
      "rouse would have interrupted it: acting is not allowed; see `rouse allow`",
    ],
    [
      "when a limit ends",
      { problem: "rate_limited", until: at(134), next: { do: "nudge", at: at(136), reason: "the limit holds" } },
      `resumes ${clock(134)} (in 2 h 14 m); next: nudge at ${clock(136)}: the limit holds`,
    ],
    ["who has it", { acked_at: at(0) }, "somebody has taken it"],
    ["how long it is silenced", { silenced_until: at(60) }, `silenced until ${clock(60)}`],
    [
      "what came of it",
      { phase: "recovered", ended_at: at(-1), actions: [record("nudge")], next: null },
      `nudged ${clock(-2)}; works again since ${clock(-1)}`,
    ],
    [
      "that it was not seen any more",
      { phase: "closed", ended_at: at(-1), next: null },
      `not seen any more since ${clock(-1)}`,
    ],
  ])("say %s", (_, fields, text) => {
    expect(gist(fields)).toBe(text);
  });

  it.each([
    ["silent_stream", "and is more patient with a about silent_stream"],
    ["needs_input", "no threshold decides about needs_input, so there is nothing to be more patient about"],
  ] as const)("promise more patience after a false alarm only where there is a threshold: %s", (problem, text) => {
    expect(feedbackText(incident({ agent: "a", problem, feedback: "false-alarm" }))).toContain(text);
  });

  it("below the table of agents are a line each, and none that ended", () => {
    const many = Array.from({ length: 7 }, (_, n) => incident({ agent: `a${n}` }));
    const lines = openText([incident({ ended_at: at(0) }), ...many], EIGHTY, NOW)
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^incident 4k2j9xq0 {2}a0: silent_stream, next: interrupt/);
    expect(lines[5]).toBe('and 2 more open incidents; see "rouse incidents"');
    expect(openText([], EIGHTY, NOW)).toBe("");
  });
});

describe("the story of an incident", () => {
  it("has reasons, actions with outcomes, what comes, and what can be done", () => {
    const text = storyText(
      incident({ chain: ["frozen_screen"], actions: [record("interrupt")], reopened: 2 }),
      {},
      NOW,
    );
    expect(text.split("\n")).toEqual([
      "api: silent_stream, confirmed (incident 4k2j9xq01ab)",
      `  since ${clock(-12)}, confidence 0.9, was called frozen_screen`,
      "  came back 2 times",
      "  No output for 12 min (screen, transcript)",
      "  policy default, acting is allowed",
      "",
      "what was done",
      `  ${clock(-2)}  interrupt: done, proven: the turn ended`,
      "",
      "what comes",
      `  next: interrupt at ${clock(1)}: interrupt comes later`,
      "",
      "what you can do",
      "  rouse why api",
      "",
    ]);
  });
});

describe("a limit", () => {
  it("is told by when it ends, and nothing else is", () => {
    expect(limitText({ state: "rate_limited", until: at(134) }, NOW)).toBe(`resumes ${clock(134)} (in 2 h 14 m)`);
    expect(limitText({ state: "rate_limited", until: null }, NOW)).toBe("nobody knows when it resumes");
    expect(limitText({ state: "working", until: at(1) }, NOW)).toBeNull();
  });
});

describe("what is allowed", () => {
  const row = (fields: Partial<PermissionsView["agents"][number]>): PermissionsView["agents"][number] => ({
    agent: "api",
    origin: "spawn",
    allowed: false,
    except: [],
    until: null,
    by: null,
    ...fields,
  });

  it("is nothing at first, with the way to change it", () => {
    const text = allowText({ all: null, agents: [], never: [] }, EIGHTY, NOW);
    expect(text).toMatch(/^rouse acts on nobody.*"rouse allow --all"/);
  });

  it("is told with its end, its exceptions, and why an agent is left alone", () => {
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
    const end = `, but not about rate_limited, until ${clock(480)}`;
    expect(text.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      `rouse acts on every agent that it starts${end}`,
      "AGENT SEEN IN ACTS WHY",
      `api spawn yes started by rouse${end}`,
      "web tmux no only watched: it needs its name",
      "db spawn no said of it by name",
      "",
    ]);
  });
});

describe("a name that nobody has", () => {
  const running: PermissionsView = {
    all: null,
    agents: [
      { agent: "worker", origin: "spawn", allowed: false, except: [], until: null, by: null },
      { agent: "later", origin: null, allowed: true, except: [], until: null, by: "name" },
      { agent: "wroker", origin: null, allowed: false, except: [], until: null, by: "name" },
    ],
    never: [],
  };

  it("is said to hold later, with the one that was probably meant, and without control bytes", () => {
    expect(strangersText(["worker", "wroker", "a\u001b[31mb", "wroker"], running)).toBe(
      "no agent called wroker runs now; it holds as soon as one does; did you mean worker?\n" +
        "no agent called a [31mb runs now; it holds as soon as one does\n",
    );
  });

  it("is listed as long as something is allowed to it, or it is left out of what is allowed to all", () => {
    const names = (view: PermissionsView): string[] =>
      allowText(view, EIGHTY, NOW)
        .split("\n")
        .flatMap((line) => /^(worker|later|wroker) /.exec(line)?.[1] ?? []);
    expect(names(running)).toEqual(["worker", "later"]);
    expect(names({ ...running, all: { allowed: true, except: [], until: null } })).toEqual([
      "worker",
      "later",
      "wroker",
    ]);
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
    at: null,
    busy: false,
    ...fields,
  });
  const step = { do: "nudge", say: "continue", result: "done", reason: "a turn started", proven: true } as const;

  it.each<[string, Partial<RecoveryView>, string]>([
    [
      "what was done",
      { steps: [step], reason: "checking" },
      'nudged api: a turn started\nchecking\nsee "rouse incidents 4k2j9xq0" (api)\n',
    ],
    [
      "what was refused",
      { steps: [{ ...step, result: "refused", reason: "a draft stands there" }], reason: "a draft stands there" },
      'nudge of api refused: a draft stands there\nsee "rouse incidents 4k2j9xq0" (api)\n',
    ],
    ["what it would do", { dry_run: true, next: { do: "nudge", say: null } }, "would nudge api: because\n"],
    [
      "what has to be waited for",
      { dry_run: true, next: { do: "nudge", say: null }, at: at(5) },
      `nothing is done to api (error): because, looked at again ${clock(5)}\nthen: nudge\n`,
    ],
    ["that nothing is wrong", { incident: null, state: "working" }, "nothing is done to api (working): because\n"],
  ])("says %s", (_, fields, text) => {
    expect(recoveryText(view(fields), NOW)).toBe(text);
  });
});
