/** Agents over time: the history of one, and the last 24 hours of all. */
import { SLOT_MS, SLOTS_MAX, stripStates } from "../../core/judgement/strip.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { State } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR, SECOND } from "../../core/text/time.js";
import { type History, historyOf } from "../../daemon/views/history.js";
import { type IncidentView, incidentViews } from "../../daemon/views/incident-view.js";
import { findAgent, iso, type ServiceContext } from "./context.js";
import { inPieces } from "./pieces.js";

export type HistoryAnswer = { agent: string } & History & { incidents: IncidentView[] };

export interface StripsView {
  slot_secs: number;
  /** End of the last slot. */
  until: string;
  agents: { agent: string; states: (State | null)[] }[];
}

const DEFAULT_MS = 24 * HOUR;

export class HistoryService {
  readonly #context: Pick<ServiceContext, "loop" | "journal">;

  constructor(context: Pick<ServiceContext, "loop" | "journal">) {
    this.#context = context;
  }

  async history(asked: string, since: number | undefined): Promise<HistoryAnswer> {
    const { loop, journal } = this.#context;
    const now = loop.now();
    const from = since ?? now - DEFAULT_MS;
    const all = journal.sessions();
    // Agents that ended long ago are only in the journal.
    const known = loop.find(asked)?.session ?? all.findLast(({ id, name }) => id === asked || name === asked);
    const { name } = known ?? findAgent(this.#context, asked).session;
    const sessions = all.filter((session) => session.name === name);
    const work = historyOf(sessions, (id) => journal.read(id), from, now, loop.state.rules.settingsFor);
    const found = await inPieces(work);
    const incidents = incidentViews({ state: loop.state, now }, { all: true, since: from, agent: name });
    return { agent: sanitize(name, 80), ...found, incidents };
  }

  strips(slotMins: number, agent?: string): StripsView {
    const { loop } = this.#context;
    const now = loop.now();
    const wanted = agent === undefined ? null : findAgent(this.#context, agent).session.name;
    const byName = new Map<string, SessionJudge["strip"][]>();
    for (const { session, strip } of loop.sessions()) {
      if (wanted !== null && session.name !== wanted) continue;
      byName.set(session.name, [...(byName.get(session.name) ?? []), strip]);
    }
    const slotMs = slotMins * 60 * SECOND;
    // Pieces end on whole slots, so that a strip moves by one slot at a time.
    return {
      slot_secs: slotMs / SECOND,
      until: iso((Math.floor(now / SLOT_MS) + 1) * SLOT_MS),
      agents: [...byName].map(([name, strips]) => ({
        agent: sanitize(name, 80),
        states: stripStates(strips, now, Math.min(SLOTS_MAX, slotMs / SLOT_MS)),
      })),
    };
  }
}
