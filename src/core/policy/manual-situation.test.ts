import { describe, expect, it } from "vitest";
import { assessed, FACTS } from "../../../test/support/incidents.js";
import { START } from "../../../test/support/steps.js";
import { applyToIncidents } from "../incidents/fold.js";
import { createIncidentState, type Incident } from "../incidents/incident.js";
import type { Assessment } from "../judgement/assess.js";
import { POLICIES } from "./builtin.js";
import { decide } from "./decide.js";
import type { ActionFacts } from "./facts.js";
import { manualSituation } from "./manual-situation.js";
import type { Situation } from "./situation.js";

interface Given {
  assessment?: Partial<Assessment>;
  facts?: Partial<ActionFacts>;
  incident?: Partial<Incident>;
}

/** The first moment of a problem: one kind of evidence, not confirmed, and no permission. */
function situation(what: string, { assessment = {}, facts = {}, incident = {} }: Given = {}): Situation {
  const incidentState = createIncidentState();
  const seen = { ...assessed(what, { level: "report", kinds: ["screen"] }), at: START, ...assessment };
  applyToIncidents(incidentState, {
    kind: "assessed",
    agent: "a",
    session: "a-1",
    program: "claude-code",
    account: null,
    assessment: seen,
    progress: { workAt: null, outcomeAt: null, turnAt: null },
    confirmMs: 60_000,
    outageMs: 1_800_000,
  });
  return {
    policy: POLICIES.default,
    assessment: seen,
    incident: { ...(incidentState.incidents[0] as Incident), ...incident },
    history: [],
    outageQueue: null,
    facts: { ...FACTS, allowed: false, ownTimeoutMs: 300_000, ...facts },
    asleep: [],
    now: START,
  };
}

const does = (given: Situation, how: "plan" | "restart" = "plan") => decide(manualSituation(given, how));

describe("a recovery that a user requests", () => {
  it("does not wait for permission, confirmation, more evidence, the end of a silence or the program's timeout", () => {
    const given = { facts: { silencedUntil: START + 1 }, incident: { ackedAt: START } };
    expect(decide(situation("stuck/silent_stream", given)).action).toBeNull();
    expect(does(situation("stuck/silent_stream", given)).action?.do).toBe("interrupt");
    const reported = { escalated: { at: START, reason: "", wouldDo: null } };
    expect(does(situation("error/api", { incident: reported })).action?.do).toBe("nudge");
  });

  it("checks for 30 s whether a restart worked, before it may be tried again", () => {
    expect(does(situation("stuck/silent_stream"), "restart").action).toMatchObject({
      do: "restart",
      waitMs: 30_000,
      proof: "process_started",
    });
  });

  it("restarts on one kind of evidence besides the request, and not on none", () => {
    expect(does(situation("stuck/silent_stream"), "restart").action?.do).toBe("restart");
    const unseen = situation("stuck/silent_stream", { assessment: { kinds: [] } });
    expect(does(unseen, "restart").action).toBeNull();
  });

  it.each([
    ["a dialog is open", { facts: { promptOpen: true } }, "dialog"],
    ["a user is typing", { facts: { humanPresent: true } }, "keyboard"],
    ["rouse is unhealthy", { facts: { observerHealthy: false } }, "unhealthy"],
    ["it cannot be done", { facts: { can: [] } }, "no automatic recovery is available"],
    [
      "it is active",
      { facts: { guard: { send: false, may_ask: false, reason: "a commit" } as ActionFacts["guard"] } },
      "guard",
    ],
  ])("takes no action if %s", (_, given, reason) => {
    const decision = does(situation("error/api", given));
    expect([null, "escalate"]).toContain(decision.action?.do ?? null);
    expect(decision.reason).toContain(reason);
  });

  it("never answers a question, and never stops a user's own terminal", () => {
    expect(does(situation("needs_input")).action?.do).toBe("escalate");
    expect(does(situation("needs_input"), "restart").action?.do).toBe("escalate");
    const own = situation("stuck/silent_stream", { facts: { origin: "run" } });
    expect(does(own, "restart")).toMatchObject({ action: { do: "escalate" }, wouldDo: null });
  });

  it("waits for a printed reset, but not for rouse's own margin", () => {
    const limited = (until: number | null) => situation("rate_limited", { assessment: { until } });
    expect(does(limited(START + 60_000))).toMatchObject({ action: null, recheckAt: START + 60_000 });
    expect(does(limited(START - 1000)).action?.do).toBe("nudge");
    expect(does(limited(null)).action?.do).toBe("nudge");
  });
});
