import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anySession } from "../../../test/support/any-session.js";
import { start, useJournals } from "../../../test/support/journals.js";
import { testRules } from "../../../test/support/loops.js";
import { sessionOf } from "../../../test/support/sessions.js";
import { START } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import { createNodeState, type NodeState } from "../../core/node-state.js";
import type { JudgeState } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { step } from "../../core/step.js";
import type { Journal } from "../../store/journal.js";
import { Compaction } from "./compaction.js";
import { History } from "./history.js";
import { findSnapshot, openHistory } from "./restore.js";

useJournals();
let journal: Journal;
beforeEach(() => {
  journal = start({ commitWithinMs: 100_000 });
});
afterEach(() => journal.close());

const numRuns = process.env.ROUSE_FULL ? 3000 : 120;
const settings = testRules().settingsFor;
let runs = 0;

/** A session that the daemon watches: known to the journal and to a state of its own. */
function watched(fields: Partial<AgentSession> = {}): { session: AgentSession; state: NodeState } {
  const session = sessionOf({
    id: `s${++runs}`,
    kind: "claude-code",
    command: ["claude"],
    startedAt: START,
    ...fields,
  });
  journal.putSession(session);
  const state = createNodeState(testRules());
  step(state, { kind: "restore", session }, START);
  return { session, state };
}

/** Signals arrive in batches; some batches have the same time. */
interface Arrival {
  signals: Signal[];
  at: number;
  isHost: boolean;
}

const arrivals = fc
  .tuple(
    anySession,
    fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), isHost: fc.boolean(), late: fc.nat(2) })),
  )
  .map(([signals, cuts]) => {
    const found: Arrival[] = [];
    let now = START;
    for (let from = 0, n = 0; from < signals.length; n++) {
      const { size, isHost, late } = cuts[n % Math.max(1, cuts.length)] ?? { size: 3, isHost: false, late: 1 };
      const part = signals.slice(from, from + size);
      from += size;
      now = Math.max(now, part.at(-1)?.at ?? now) + late * 10;
      found.push({ signals: part, at: now, isHost });
    }
    return found;
  });

async function append(session: AgentSession, { signals, at, isHost }: Arrival): Promise<void> {
  const done = journal.append(session.id, isHost ? journal.acked(session.id) + 1 : null, signals, at);
  journal.flush();
  await done;
}

/** As if no other session were stored. */
const journalOf = ({ id }: AgentSession): Journal =>
  new Proxy(journal, {
    get: (target, name: keyof Journal) => {
      const value = target[name];
      if (name === "sizes") return () => journal.sizes().filter(({ session }) => session === id);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** What a restart knows, from a snapshot or without one. */
function read(session: AgentSession, useSnapshot: boolean): { state: JudgeState; isIncomplete: boolean } {
  const state = createNodeState(testRules());
  const from = useSnapshot ? findSnapshot(journal, session, settings(session), "test") : null;
  const history = from ? openHistory(journal, state, session, from) : new History(state, session);
  const onHole = (): void => history.forget();
  for (const stored of journal.read(session.id, { after: history.batch, onHole })) history.add(stored);
  history.flush();
  return { state: history.judge.state, isIncomplete: history.isIncomplete };
}

describe("a snapshot and the signals after it", () => {
  it("amount to exactly the state, timeline and verdict of the full history, wherever it was made", async () => {
    const cut = fc.record({ after: fc.nat(9), pieceSignals: fc.integer({ min: 1, max: 8 }), packs: fc.boolean() });
    let used = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, fc.array(cut, { minLength: 1, maxLength: 5 }), async (history, cuts) => {
        const { session, state } = watched();
        for (const [n, arrival] of history.entries()) {
          await append(session, arrival);
          for (const { after, pieceSignals, packs } of cuts) {
            if (after !== n) continue;
            const limits = { tailAgeMs: 0, pieceSignals, looseBytes: packs ? 1 : 1e9 };
            const compaction = new Compaction({ journal: journalOf(session), state, release: "test", limits });
            const now = history[n + 1]?.at ?? arrival.at + 5000;
            for (let piece = 0; piece < 3; piece++) compaction.step(now);
          }
        }
        const stored = journal.snapshot(session.id);
        if (stored) {
          used++;
          expect(findSnapshot(journal, session, settings(session), "test")).not.toBeNull();
        }
        expect(read(session, true)).toStrictEqual(read(session, false));
      }),
      { numRuns },
    );
    expect(used).toBeGreaterThan(numRuns / 8);
  });
});
