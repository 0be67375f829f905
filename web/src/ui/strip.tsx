/** The last 24 hours of an agent: one mark per half hour, its height and colour by state. */
import { duration } from "../time.js";
import { TONES, words } from "./state.js";

export function Strip({ states }: { states: readonly (string | null)[] }) {
  if (states.length === 0) return null;
  return (
    <span class="strip" role="img" aria-label={stripText(states)} title={stripText(states)}>
      {states.map((state, at) => (
        <i key={at} class={state === null ? "none" : (TONES[state] ?? "odd")} />
      ))}
    </span>
  );
}

function stripText(states: readonly (string | null)[]): string {
  const slots = new Map<string, number>();
  for (const state of states) if (state !== null) slots.set(state, (slots.get(state) ?? 0) + 1);
  const parts = [...slots].map(([state, count]) => `${words(state)} ${duration(count * (86_400 / states.length))}`);
  return `Last 24 h: ${parts.length === 0 ? "not observed" : parts.join(", ")}`;
}
