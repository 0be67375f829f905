/** A state as a sign, a word and a colour: never by colour alone. */
export const SIGNS: Readonly<Record<string, string>> = {
  needs_input: "?",
  stuck: "!",
  error: "×",
  gone: "†",
  unknown: "~",
  rate_limited: "‖",
  waiting: "…",
  working: "▶",
  starting: "∙",
  idle: "○",
  complete: "✓",
};

/** The group of colours. */
export const TONES: Readonly<Record<string, string>> = {
  needs_input: "you",
  stuck: "bad",
  error: "bad",
  gone: "bad",
  unknown: "odd",
  rate_limited: "wait",
  waiting: "wait",
  working: "work",
  starting: "calm",
  idle: "calm",
  complete: "done",
};

/** In the order in which lists count them. */
export const STATE_ORDER = Object.keys(SIGNS);

export const words = (name: string): string => name.replaceAll("_", " ");

export function StateBadge({ state, cause }: { state: string; cause?: string | null }) {
  return (
    <span class={`badge ${TONES[state] ?? "odd"}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[state] ?? "~"}
      </span>
      {words(state)}
      {cause ? <span class="cause"> · {words(cause)}</span> : null}
    </span>
  );
}
