import { describe, expect, it } from "vitest";
import { agent, WORKING } from "../../../test/support/loops.js";
import { START, screen } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import { createIncidentState } from "../../core/incidents/incident.js";
import { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { type SessionView, viewOf as viewWith } from "./view.js";
import { type WhyView, whyOf as whyWith } from "./why.js";

const viewOf = (judge: SessionJudge, now: number): SessionView => viewWith(judge, now, createIncidentState());
const whyOf = (judge: SessionJudge, now: number): WhyView => whyWith(judge, now, createIncidentState());

type Untimed = Omit<Signal, "at"> & Record<string, unknown>;

function watch(signals: readonly Untimed[], fields: Partial<AgentSession> = {}, at = START): SessionJudge {
  const judge = new SessionJudge(agent(fields), START);
  judge.take(
    signals.map((signal) => ({ ...signal, at }) as Signal),
    at,
  );
  judge.judge(at);
  return judge;
}

const tool: Untimed = {
  kind: "tool_start",
  source: "transcript",
  id: "t1",
  tool: "Bash",
  class: "shell",
  call: "c1",
  subject: "npm test",
};

describe("the view of a session", () => {
  it("is one flat record with machine-readable times", () => {
    const view = viewOf(watch(WORKING, { task: "T-7", tags: ["night"] }), START + 2000);
    expect(view).toMatchObject({
      name: "api",
      state: "working",
      cause: null,
      since: "2026-03-02T09:00:00.000Z",
      last_activity: "2026-03-02T09:00:00.000Z",
      last_output: null,
      until: null,
      healthy: true,
      task: "T-7",
      tags: ["night"],
      ended_at: null,
    });
    expect(view.reasons[0]).toContain("A turn is running (title)");
  });

  it("shows what the agent does: the open tool, a tool on the screen, or the open question", () => {
    expect(viewOf(watch([...WORKING, tool]), START).doing).toBe("Bash: npm test");
    const shown = screen({ busy: true, moving: true, tool: { class: "shell", subject: "make all" } });
    expect(viewOf(watch([shown]), START).doing).toBe("make all");
    const dialog = screen({ composer: "hidden", dialog: { prompt: "permission", question: "Push the branch?" } });
    expect(viewOf(watch([dialog]), START)).toMatchObject({ state: "needs_input", doing: "Push the branch?" });
    expect(viewOf(watch(WORKING), START).doing).toBe("");
  });

  it("shows the dialog of a limit that stays until the user answers it as a question to the user", () => {
    const dialog = { prompt: "input", question: "Usage limit reached. Keep trying?", limit: true } as const;
    const shows = (userOnly: boolean) =>
      viewOf(watch([screen({ composer: "hidden", dialog: userOnly ? { ...dialog, userOnly } : dialog })]), START);
    expect(shows(true)).toMatchObject({
      state: "rate_limited",
      move: "you",
      question: dialog.question,
      doing: dialog.question,
      healthy: false,
    });
    expect(shows(false)).toMatchObject({ state: "rate_limited", move: "provider", question: null, healthy: true });
  });

  it("contains the end of a limit", () => {
    const until = START + 3_600_000;
    const view = viewOf(watch([{ kind: "limit", source: "transcript", level: "hit", until } as Untimed]), START);
    expect(view).toMatchObject({ state: "rate_limited", cause: "limit", until: "2026-03-02T10:00:00.000Z" });
  });

  it("contains no control byte of an agent", () => {
    const hostile = "a\u001b[31mb\u0007\u202ec\u0000";
    const fields = { name: hostile, kind: hostile, task: hostile, workspace: hostile, tags: [hostile] };
    const why = whyOf(watch([...WORKING, { ...tool, subject: hostile, tool: hostile }], fields), START);
    expect(JSON.stringify(why)).not.toMatch(/\\u001b|\\u0007|\\u0000|\u202e/);
    expect(why.name).toBe("a [31mb c");
  });

  it("says that rouse cannot see the agent after a minute without signals", () => {
    const judge = watch([]);
    judge.judge(START + 10_000);
    expect(viewOf(judge, START + 69_000)).toMatchObject({ state: "unknown", unobserved: null });
    const unobserved = { since: "2026-03-02T09:00:10.000Z", reason: "No signals yet" };
    expect(viewOf(judge, START + 71_000)).toMatchObject({ state: "unknown", healthy: false, unobserved });
    judge.session = { ...judge.session, endedAt: START + 72_000 };
    expect(viewOf(judge, START + 73_000).unobserved).toBeNull();
  });
});
