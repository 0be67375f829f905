import { describe, expect, it } from "vitest";
import type { ActionView, IncidentView } from "../daemon/views/incident-view.js";
import type { SessionView } from "../daemon/views/view.js";
import { CAST } from "./cast.js";
import { endingOf, Story } from "./story.js";

const member = (name: string) => CAST.filter((one) => one.name === name);

const agent = (name: string, word: string, fields: Partial<SessionView> = {}): SessionView => {
  const [state, cause = null] = word.split("/");
  const seen = { name, state, cause, reasons: [`it is ${word}`], doing: "", started_at: "2026-01-01T00:00:00Z" };
  return { ...seen, ...fields } as SessionView;
};

const action = (name: ActionView["do"], result: ActionView["result"]): ActionView => ({
  at: "2026-01-01T00:00:00Z",
  do: name,
  result,
  reason: `${name} ${result}`,
  proven: null,
});

const incident = (name: string, fields: Partial<IncidentView>): IncidentView =>
  ({
    id: "i1",
    agent: name,
    problem: "silent_stream",
    opened_at: "2026-01-01",
    reasons: [],
    actions: [],
    next: null,
    ...fields,
  }) as IncidentView;

const words = (story: Story, check: Parameters<Story["take"]>[0]): string[] =>
  story.take(check, 1).map(({ event, do: name, state }) => [event, name ?? state].join(" "));

describe("the story of the demo", () => {
  it("reports each event once, in order", () => {
    const story = new Story(member("hang"));
    const stuck = agent("hang", "stuck/silent_stream");
    const engine = (...actions: ActionView[]) => ({
      agents: [stuck],
      incidents: [incident("hang", { phase: "acting", actions })],
    });
    expect(words(story, { agents: [agent("hang", "working")], incidents: [] })).toEqual(["state working"]);
    expect(words(story, { agents: [agent("hang", "working")], incidents: [] })).toEqual([]);
    expect(words(story, { agents: [stuck], incidents: [incident("hang", { phase: "suspected" })] })).toEqual([
      "state stuck",
    ]);
    expect(words(story, engine(action("interrupt", "pending")))).toEqual(["action interrupt"]);
    const [first, second] = [action("interrupt", "done"), action("nudge", "done")];
    expect(words(story, engine(first, second))).toEqual(["outcome interrupt", "action nudge", "outcome nudge"]);
    const end = {
      agents: [agent("hang", "complete")],
      incidents: [incident("hang", { phase: "recovered", actions: [first, second] })],
    };
    expect(words(story, end)).toEqual(["state complete", "recovered complete"]);
    expect(story.rows[0]).toMatchObject({ ending: "recovered", did: ["interrupted", "nudged"] });
  });

  it("calls an agent recovered only if it finished and its recovery is proven", () => {
    const story = new Story(member("hang"));
    const proven = [incident("hang", { phase: "recovered", actions: [action("nudge", "done")] })];
    story.take({ agents: [agent("hang", "working")], incidents: proven }, 1);
    expect(story.isOver).toBe(false);
    story.take({ agents: [agent("hang", "complete")], incidents: [incident("hang", { phase: "acting" })] }, 1);
    expect(story.isOver).toBe(false);
    story.take({ agents: [agent("hang", "complete")], incidents: proven }, 1);
    expect([story.isOver, story.isAsPlanned]).toEqual([true, true]);
  });

  it("is not as planned if an agent has another outcome", () => {
    const story = new Story(member("crash"));
    const refused = action("resume", "refused");
    story.take(
      {
        agents: [agent("crash", "gone/crash")],
        incidents: [incident("crash", { phase: "escalated", actions: [refused] })],
      },
      1,
    );
    expect([story.isOver, story.isAsPlanned]).toEqual([true, false]);
    expect(story.rows.map(endingOf)).toEqual(["killed by the system: nothing typed, reported to you"]);
  });

  it("follows an agent into its resumed session", () => {
    const story = new Story(member("crash"));
    const old = agent("crash", "gone/crash");
    const again = agent("crash", "working", { started_at: "2026-01-01T00:01:00Z" });
    story.take({ agents: [old, again], incidents: [] }, 1);
    expect(story.rows[0]?.state).toBe("working");
  });
});
