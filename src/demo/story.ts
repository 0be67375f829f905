/** The course of the demo, from repeated checks: events, one row per agent, and the outcomes. */
import type { ActionName } from "../core/action.js";
import type { Cause, State, WaitCause } from "../core/states.js";
import type { ActionView, IncidentView } from "../daemon/views/incident-view.js";
import type { SessionView } from "../daemon/views/view.js";
import { CAST, type Ending, type Member } from "./cast.js";

export interface StoryInput {
  agents: readonly SessionView[];
  incidents: readonly IncidentView[];
}

export interface StoryEvent {
  /** Real seconds since the start. */
  t: number;
  agent: string;
  event: "state" | "confirmed" | "action" | "outcome" | "escalated" | "recovered";
  state: State;
  cause: Cause | WaitCause | null;
  do: ActionName | null;
  text: string;
}

export interface StoryRow {
  member: Member;
  state: State;
  cause: Cause | WaitCause | null;
  doing: string;
  /** Actions of rouse so far, as text. */
  did: string[];
  /** What rouse waits for before its next action; null if none is planned. */
  next: string | null;
  /** The reason for the present verdict. */
  story: string;
  ending: Ending | null;
}

const NAMES: Readonly<Partial<Record<ActionName, string>>> = {
  interrupt: "interrupted",
  nudge: "nudged",
  resume: "resumed",
  stop: "stopped",
  restart: "restarted",
};

export class Story {
  readonly rows: readonly StoryRow[];
  readonly #seen = new Map<string, string>();

  constructor(cast: readonly Member[] = CAST) {
    this.rows = cast.map((member) => ({
      member,
      state: "starting",
      cause: null,
      doing: "",
      did: [],
      next: null,
      story: member.plot,
      ending: null,
    }));
  }

  get isOver(): boolean {
    return this.rows.every(({ ending }) => ending !== null);
  }

  get isAsPlanned(): boolean {
    return this.rows.every(({ ending, member }) => ending === member.ending);
  }

  /** Returns the events since the last check. */
  take({ agents, incidents }: StoryInput, t: number): StoryEvent[] {
    return this.rows.flatMap((row) => {
      const { name } = row.member;
      // A resumed agent is a new session of the same name.
      const [agent] = agents.filter((one) => one.name === name).sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
      if (!agent || agent.state === "unknown") return [];
      const own = incidents.filter((one) => one.agent === name).sort((a, b) => (a.opened_at < b.opened_at ? -1 : 1));
      const events = this.#eventsOf(agent, own, t);
      update(row, agent, own);
      return events;
    });
  }

  #eventsOf(agent: SessionView, incidents: readonly IncidentView[], t: number): StoryEvent[] {
    const { name, state, cause } = agent;
    const events: StoryEvent[] = [];
    const report = (key: string, value: string, event: StoryEvent["event"], text: string, what?: ActionName): void => {
      if (this.#seen.get(`${name} ${key}`) === value) return;
      this.#seen.set(`${name} ${key}`, value);
      events.push({ t, agent: name, event, state, cause, do: what ?? null, text });
    };
    report("state", `${state}/${cause}`, "state", agent.reasons[0] ?? "");
    for (const { id, phase, actions, next, reasons } of incidents) {
      for (const [at, action] of actions.entries()) {
        report(`${id} ${at}`, "intended", "action", reasons[0] ?? "", action.do);
        if (action.result !== "pending")
          report(`${id} ${at} outcome`, action.result, "outcome", action.reason, action.do);
      }
      if (phase === "confirmed") report(`${id} confirmed`, "yes", "confirmed", next?.reason ?? "the problem persists");
      if (phase === "escalated")
        report(`${id} end`, "escalated", "escalated", (next?.reason ?? "").replace(/^needs you: /, ""));
      if (phase === "recovered") report(`${id} end`, "recovered", "recovered", "work has resumed");
    }
    return events;
  }
}

function update(row: StoryRow, agent: SessionView, incidents: readonly IncidentView[]): void {
  const last = incidents.at(-1);
  row.state = agent.state;
  row.cause = agent.cause;
  row.doing = agent.doing;
  row.did = incidents.flatMap(({ problem, actions }) => {
    const done = actions.flatMap(didOf);
    return problem === "rate_limited" && done.length > 0 ? ["waited for the reset", ...done] : done;
  });
  row.next = last?.next?.at ? last.next.reason : null;
  row.story = agent.reasons[0] ?? row.story;
  if (agent.state === "complete" && incidents.length === 0) row.ending = "left_alone";
  else if (last?.phase === "escalated") row.ending = "escalated";
  else if (agent.state === "complete" && last?.phase === "recovered") row.ending = "recovered";
}

/** Only actions that were carried out; a refused one did nothing. */
const didOf = ({ do: name, result }: ActionView): string[] =>
  result === "done" ? [NAMES[name] ?? name] : result === "failed" || result === "unknown" ? [`${name} ${result}`] : [];

/** The outcome of an agent in one line. */
export function endingOf({ member, did, ending, state }: StoryRow): string {
  const last = ending === null ? `still ${state}` : LAST_WORDS[ending];
  const done = ending === "escalated" && did.length === 0 ? ["nothing typed"] : did;
  return `${member.plot}: ${[...done, last].join(", ")}`;
}

const LAST_WORDS: Readonly<Record<Ending, string>> = {
  left_alone: "no false alarm",
  recovered: "finished",
  escalated: "reported to you",
};
