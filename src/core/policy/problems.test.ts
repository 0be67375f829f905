import { describe, expect, it } from "vitest";
import { ACTIONS } from "../action.js";
import {
  AGENT_PROBLEMS,
  checkAllowedAction,
  HUMAN_ONLY,
  needsConfirming,
  PROBLEMS,
  problemOf,
} from "../incidents/problem.js";
import { ERROR_CAUSES, PIPELINE_PROBLEMS, type Problem, STATES, STUCK_CAUSES } from "../states.js";
import { POLICIES } from "./builtin.js";
import { PROBLEM_TABLE, traitsOf } from "./problems.js";

const all = Object.entries(PROBLEM_TABLE).map(([name, traits]) => ({ name: name as Problem, ...traits }));
const isOfPipeline = (name: Problem): boolean => (PIPELINE_PROBLEMS as readonly Problem[]).includes(name);
/** Of agents. */
const rows = all.filter(({ name }) => !isOfPipeline(name));

describe("the problem table", () => {
  it("marks exactly these problems as human-only", () => {
    // A literal copy on purpose: acting on one of these is never safe, so removing one must fail here.
    const humanOnly = ["auth", "billing", "needs_input", "poisoned_context", "policy_refusal", "unknown"];
    expect(rows.flatMap(({ name, humanOnly: is }) => (is ? [name] : [])).sort()).toEqual(humanOnly);
    expect([...HUMAN_ONLY].filter((name) => !isOfPipeline(name)).sort()).toEqual(humanOnly);
  });

  it("permits no action of any policy on a human-only problem", () => {
    for (const name of ["auth", "billing", "needs_input", "poisoned_context", "policy_refusal", "unknown"] as const) {
      expect(PROBLEM_TABLE[name].recoveryPlan, name).toEqual([]);
      for (const action of Object.keys(ACTIONS))
        expect(checkAllowedAction(name, action), `${action} on ${name}`).not.toBeNull();
      for (const policy of Object.values(POLICIES)) expect(policy.plans[name], name).toBeUndefined();
    }
  });

  it("leaves every problem of a pipeline to the user: no action, no outage, nothing critical", () => {
    for (const { name, state, humanOnly, critical, outageGroup } of all.filter((row) => isOfPipeline(row.name)))
      expect({ name, state, humanOnly, critical, outageGroup }).toEqual({
        name,
        state: null,
        humanOnly: true,
        critical: "never",
        outageGroup: null,
      });
  });

  it("permits only an interrupt and a command of the user for an agent that is over its budget", () => {
    const permitted = Object.keys(ACTIONS).filter((action) => checkAllowedAction("over_budget", action) === null);
    expect(permitted).toEqual(["interrupt", "run"]);
  });

  it("has only permitted steps in every recovery plan", () => {
    for (const { name, recoveryPlan } of rows)
      for (const step of recoveryPlan) expect(checkAllowedAction(name, step.do), `${step.do} for ${name}`).toBeNull();
  });

  it("has these recovery plans: action, times, level, seconds before, seconds after, text or proof", () => {
    const afterHang = [
      "interrupt 1 act 0 30 turn_ended",
      "nudge 1 report 0 180 continue",
      "stop 1 act 0 30 process_gone",
      "resume 1 report 0 180 progress",
      "continue 2 report 0 300 progress",
    ];
    const againstLoop = ["interrupt 1 act 0 30 turn_ended", "nudge 1 act 0 300 repeating", "block 1 act 0 0 none"];
    const askForReport = [
      "nudge 1 report 0 300 report",
      "stop 1 act 0 30 process_gone",
      "continue 2 report 0 300 progress",
      "release 1 report 0 0 none",
    ];
    const stopAndResume = ["stop 1 act 0 30 process_gone", "resume 1 report 0 180 progress"];
    const afterExit = [
      "resume 2 report 0 180 progress",
      "nudge 2 report 0 120 continue",
      "continue 2 report 0 300 progress",
      "release 1 report 0 0 none",
    ];
    const plans = rows.flatMap(({ name, recoveryPlan }) => {
      const steps = recoveryPlan.map(({ do: action, limit, when, waitMs, say, proof }) =>
        [action, limit, when.level, when.afterMs / 1000, waitMs / 1000, say ?? proof].join(" "),
      );
      return steps.length > 0 ? [[name, steps]] : [];
    });
    expect(Object.fromEntries(plans)).toEqual({
      silent_stream: afterHang,
      frozen_screen: afterHang,
      loop: againstLoop,
      repeated_error: againstLoop,
      no_progress: againstLoop,
      no_checkpoint: askForReport,
      stale_claim: askForReport,
      no_completion_signal: ["stop 1 act 0 30 process_gone"],
      stopped_early: ["nudge 2 report 0 120 continue", ...stopAndResume],
      lost_result: ["nudge 2 report 0 120 continue", ...stopAndResume],
      compaction: ["interrupt 1 act 0 30 turn_ended", "nudge 1 report 0 120 continue"],
      never_started: stopAndResume,
      never_exited: ["stop 1 act 0 30 process_gone"],
      api: ["nudge 2 report 60 120 continue", ...stopAndResume],
      crash: afterExit,
      exit_code: afterExit,
      unreachable: ["nudge 2 report 300 600 continue"],
      rate_limited: ["nudge 10 report 0 60 continue"],
      gone: afterExit,
    });
  });

  it("groups these problems into outages, and no others", () => {
    const groupOf = (group: string) => rows.flatMap(({ name, outageGroup }) => (outageGroup === group ? [name] : []));
    expect(groupOf("limit")).toEqual(["rate_limited"]);
    expect(groupOf("login")).toEqual(["auth", "billing"]);
    expect(groupOf("service")).toEqual(["silent_stream", "retry_storm", "api", "unreachable"]);
    expect(groupOf("machine")).toEqual(["frozen_screen", "crash", "exit_code", "disk_full", "gone"]);
  });

  it("suggests these actions for each problem, the most useful one first", () => {
    const shown = rows.map(({ name, suggestedActions }) => [
      name,
      suggestedActions.map(({ tool, arguments: own }) => (own?.text ? `"${own.text}"` : tool)).join(" "),
    ]);
    const inspect = "read_pane why";
    const ask = `${inspect} "What is your status? Report the last step that you finished." close_pane`;
    const redirect = `${inspect} "your instruction" close_pane`;
    const resume = `${inspect} "continue" recover_agent close_pane`;
    const giveUp = `${inspect} close_pane`;
    const again = `${inspect} recover_agent`;
    expect(Object.fromEntries(shown)).toEqual({
      silent_stream: resume,
      frozen_screen: resume,
      tool_hang: giveUp,
      waiting_on_stdin: giveUp,
      loop: redirect,
      repeated_error: redirect,
      retry_storm: giveUp,
      no_progress: redirect,
      no_checkpoint: ask,
      stale_claim: ask,
      no_completion_signal: giveUp,
      stopped_early: resume,
      lost_result: resume,
      compaction: resume,
      never_started: giveUp,
      never_exited: giveUp,
      auth: inspect,
      billing: inspect,
      api: resume,
      context_full: giveUp,
      poisoned_context: giveUp,
      policy_refusal: giveUp,
      crash: again,
      exit_code: again,
      disk_full: inspect,
      unreachable: resume,
      rate_limited: inspect,
      needs_input: 'read_pane "your answer"',
      error: giveUp,
      gone: again,
      unknown: "why",
      over_budget: giveUp,
    });
  });

  it("suggests to inspect every problem first: what the agent shows, and why rouse reports it", () => {
    const inspecting = rows.filter(
      ({ suggestedActions: [first, second] }) => first?.tool === "read_pane" && second?.tool === "why",
    );
    const others = AGENT_PROBLEMS.filter((name) => !inspecting.some((row) => row.name === name));
    expect(others).toEqual(["needs_input", "unknown"]);
  });

  it("has one row per cause and per state that is a problem without a cause", () => {
    const others = ["rate_limited", "needs_input", "error", "gone", "unknown", "over_budget"];
    expect(AGENT_PROBLEMS).toEqual([...STUCK_CAUSES, ...ERROR_CAUSES, ...others]);
    expect(PROBLEMS).toEqual([...AGENT_PROBLEMS, ...PIPELINE_PROBLEMS]);
  });

  it("gives each problem the state that the judgement assesses it in", () => {
    for (const { name, state } of rows) {
      if (state === null) expect(name).toBe("over_budget");
      else {
        const cause = (STATES as readonly string[]).includes(name) ? null : (name as (typeof STUCK_CAUSES)[number]);
        expect(problemOf({ state, cause }), name).toBe(name);
      }
    }
    for (const cause of STUCK_CAUSES) expect(PROBLEM_TABLE[cause].state, cause).toBe("stuck");
  });

  it("asks for confirmation of every stall and of blindness, and of nothing that a record or an exit proves", () => {
    const unsure = [...STUCK_CAUSES, "unknown"].sort();
    expect(PROBLEMS.filter(needsConfirming).sort()).toEqual(unsure);
  });

  it("types only after an interrupt when a turn is running", () => {
    const typing = rows.filter(({ duringTurn, recoveryPlan }) => {
      const first = recoveryPlan.find((step) => ACTIONS[step.do].controls)?.do ?? "interrupt";
      return duringTurn && first !== "interrupt";
    });
    expect(typing).toEqual([]);
  });

  it("lists exactly these problems as arising while a turn is running", () => {
    expect(rows.flatMap(({ name, duringTurn }) => (duringTurn ? [name] : [])).sort()).toEqual([
      "compaction",
      "frozen_screen",
      "loop",
      "no_progress",
      "repeated_error",
      "retry_storm",
      "silent_stream",
      "tool_hang",
      "waiting_on_stdin",
    ]);
  });

  it("ends and starts only sessions that rouse started itself", () => {
    const steps = rows.flatMap(({ recoveryPlan }) => recoveryPlan);
    const ending = steps.filter((step) => ACTIONS[step.do].destructive || ACTIONS[step.do].starts);
    expect(ending.length).toBeGreaterThan(0);
    for (const step of ending) expect(step.when.origins, step.do).toEqual(["spawn"]);
  });

  it("starts a session only when the old one has ended or lost its claims", () => {
    const early = rows.filter(({ state, recoveryPlan }) => {
      const start = recoveryPlan.findIndex((step) => ACTIONS[step.do].starts);
      const before = recoveryPlan.slice(0, Math.max(0, start)).map((step) => step.do);
      return start >= 0 && state !== "gone" && !before.includes("stop") && !before.includes("release");
    });
    expect(early).toEqual([]);
  });

  it("becomes critical at once only for a problem that a human must solve", () => {
    expect(rows.flatMap(({ name, critical }) => (critical === "at_once" ? [name] : [])).sort()).toEqual([
      "auth",
      "billing",
      "needs_input",
      "poisoned_context",
      "policy_refusal",
    ]);
    expect(rows.flatMap(({ name, critical }) => (critical === "never" ? [name] : []))).toEqual([
      "unknown",
      "over_budget",
    ]);
  });

  it("lets a problem become other problems only, each of them once", () => {
    for (const { name, becomes } of rows) {
      expect(becomes, name).not.toContain(name);
      expect(new Set(becomes).size, name).toBe(becomes.length);
    }
  });

  it("describes each problem in words of its own, to be read after a name", () => {
    expect(new Set(rows.map(({ wording }) => wording)).size).toBe(rows.length);
    for (const { wording } of rows) expect(wording).toMatch(/^[a-z].*[a-z]$/);
  });

  it("suggests at least one action for each problem, and sends text only when that can help", () => {
    for (const { name, suggestedActions, humanOnly } of rows) {
      expect(suggestedActions.length, name).toBeGreaterThan(0);
      const typing = suggestedActions.filter(({ needs }) => needs === "keyboard").map(({ what }) => what);
      if (humanOnly) expect(typing, name).toEqual(name === "needs_input" ? ["answer it"] : []);
    }
  });

  it("treats a problem of a newer version as one that only a human can solve", () => {
    for (const name of ["from_the_future", "toString"] as unknown as Problem[]) {
      expect(traitsOf(name)).toBe(PROBLEM_TABLE.unknown);
      expect(checkAllowedAction(name, "nudge")).not.toBeNull();
    }
  });
});

describe("an incident", () => {
  const listed = (of: (row: (typeof PROBLEM_TABLE)["loop"]) => readonly string[]): Record<string, string> =>
    Object.fromEntries(
      Object.entries(PROBLEM_TABLE).flatMap(([name, row]) => (of(row).length > 0 ? [[name, of(row).join(" ")]] : [])),
    );

  it("stays the same incident only if its problem becomes one of these", () => {
    // A literal copy on purpose: a missing entry starts the recovery plan again, one too many hides a new problem.
    expect(listed(({ becomes }) => becomes)).toEqual({
      silent_stream: "frozen_screen api unreachable retry_storm stopped_early never_started crash exit_code gone",
      frozen_screen: "silent_stream api crash exit_code gone",
      tool_hang: "waiting_on_stdin silent_stream frozen_screen",
      waiting_on_stdin: "tool_hang",
      loop: "repeated_error no_progress",
      repeated_error: "loop no_progress",
      retry_storm: "api unreachable silent_stream crash exit_code gone",
      no_progress: "loop repeated_error",
      no_checkpoint: "stale_claim no_progress",
      stale_claim: "no_checkpoint",
      no_completion_signal: "stopped_early crash exit_code gone",
      stopped_early: "lost_result no_completion_signal silent_stream api",
      lost_result: "stopped_early silent_stream",
      compaction: "silent_stream frozen_screen context_full api",
      never_started: "silent_stream frozen_screen crash exit_code gone",
      api: "error unreachable retry_storm silent_stream crash exit_code gone",
      context_full: "compaction poisoned_context",
      crash: "exit_code gone never_started",
      exit_code: "crash gone never_started",
      unreachable: "api retry_storm silent_stream crash exit_code gone",
      error: "api crash exit_code gone",
      gone: "crash exit_code never_started",
    });
  });

  it("that is marked as a false alarm makes rouse more patient in exactly these settings", () => {
    expect(listed(({ patience }) => patience)).toEqual({
      silent_stream: "silence_patience",
      frozen_screen: "silence_patience",
      tool_hang: "tool_patience",
      waiting_on_stdin: "tool_patience",
      repeated_error: "repeated_error_threshold",
      retry_storm: "retry_ceiling_minutes",
      no_progress: "burn_output_tokens burn_active_minutes",
      no_checkpoint: "checkpoint_stall_minutes",
      stale_claim: "claim_stale_minutes",
      no_completion_signal: "completion_timeout_minutes",
      lost_result: "lost_result_seconds",
      never_started: "never_started_seconds never_shown_seconds",
      never_exited: "never_exited_seconds",
    });
  });
});
