/**
 * Compares what agents received, and how often they were started, with the stored actions: every text, Enter, Esc and start
 * belongs to one action, and no action has two.
 */
import type { ActionName, ActionRecord } from "../../src/core/action.js";
import { textFor } from "../../src/effects/keys/texts.js";
import type { Arrival } from "./fake-agent.js";

const ESC = "\u001b";
const ERASE = "\u007f";
const TEXTS = (["continue", "repeating", "report", "are_you_there"] as const).map((say) => textFor(say));
/** Clocks of two processes are read in a different order. */
const SLACK_MS = 50;

export interface Touched {
  name: string;
  received: readonly Arrival[];
  starts: readonly { at: number; isResumed: boolean }[];
  actions: readonly ActionRecord[];
}

export interface Counts {
  texts: number;
  enters: number;
  escapes: number;
  resumes: number;
}

export function account(touched: Touched): { counts: Counts; faults: string[] } {
  const { name, received, starts, actions } = touched;
  const faults: string[] = [];
  const typed = received.map(({ text }) => text).join("");
  const lines = withoutErased(typed.replaceAll(ESC, "")).split("\r");
  const draft = lines.pop() ?? "";
  for (const line of lines)
    if (!TEXTS.includes(line)) faults.push(`${name} received ${JSON.stringify(line)} and Enter`);
  if (draft !== "" && !TEXTS.includes(draft)) faults.push(`${name} received ${JSON.stringify(draft)} without Enter`);
  for (const { text, dialogMs } of received)
    if (dialogMs !== null) faults.push(`${name} received ${JSON.stringify(text)} in a dialog`);
  const times = (what: string): number[] => received.flatMap(({ at, text }) => (text.includes(what) ? [at] : []));
  // A resumed agent is told to continue as a part of it.
  const enters = times("\r");
  const escapes = times(ESC);
  const resumed = starts.filter(({ isResumed }) => isResumed).map(({ at }) => at);
  faults.push(
    ...belong(name, "Enter", enters, actions, ["nudge", "resume"]),
    ...belong(name, "Esc", escapes, actions, ["interrupt"]),
    ...belong(name, "start", resumed, actions, ["resume"]),
  );
  if (starts.length - resumed.length !== 1) faults.push(`${name} was started ${starts.length - resumed.length} times`);
  const texts = lines.length + (draft === "" ? 0 : 1);
  return { counts: { texts, enters: enters.length, escapes: escapes.length, resumes: resumed.length }, faults };
}

/** Each time falls into the latest action of these names that began before it; none has two, and none that was done has none. */
function belong(
  agent: string,
  what: string,
  times: readonly number[],
  actions: readonly ActionRecord[],
  names: readonly ActionName[],
): string[] {
  const able = actions.filter(({ do: name }) => names.includes(name)).sort((a, b) => a.at - b.at);
  const found = new Map<string, number>();
  const faults: string[] = [];
  for (const time of times) {
    const action = able.findLast(({ at }) => at <= time + SLACK_MS);
    if (action === undefined) faults.push(`${agent} got ${what} without an action`);
    else found.set(action.id, (found.get(action.id) ?? 0) + 1);
  }
  for (const { id, do: name, outcome } of able) {
    const count = found.get(id) ?? 0;
    if (count > 1) faults.push(`${agent} got ${what} ${count} times for one ${name}`);
    if (count > 0 && outcome?.result === "refused") faults.push(`${agent} got ${what} for a ${name} that was refused`);
    if (count === 0 && outcome?.result === "done" && (what !== "Enter" || name === "nudge"))
      faults.push(`${agent} got no ${what} for a ${name} that was done`);
  }
  return faults;
}

/** rouse deletes its own text if it cannot submit it. */
const withoutErased = (keys: string): string =>
  TEXTS.reduce((left, text) => left.replaceAll(text + ERASE.repeat(text.length), ""), keys);

/** Stored actions over all rounds: none disappears, and an outcome never changes. */
export class ActionHistory {
  readonly #known = new Map<string, ActionRecord>();

  get actions(): ActionRecord[] {
    return [...this.#known.values()];
  }

  /** Returns what is missing or has changed. */
  take(stored: readonly ActionRecord[]): string[] {
    const faults: string[] = [];
    const byId = new Map(stored.map((record) => [record.id, record]));
    if (byId.size !== stored.length) faults.push("two actions have one id");
    for (const [id, { do: name, agent, outcome }] of this.#known) {
      const now = byId.get(id);
      if (!now) faults.push(`the ${name} of ${agent} is no longer stored`);
      else if (outcome && now.outcome?.result !== outcome.result)
        faults.push(`the ${name} of ${agent} was ${outcome.result} and is ${now.outcome?.result}`);
    }
    for (const record of stored) this.#known.set(record.id, record);
    return faults;
  }
}
