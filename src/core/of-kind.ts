import type { Signal, SignalKind } from "./signal.js";

export type SignalOf<K extends SignalKind> = Extract<Signal, { kind: K }>;

/** An answer for every kind of signal: a new kind does not compile until somebody has answered for it. */
export type PerKind<Answer> = { readonly [K in SignalKind]: (signal: SignalOf<K>) => Answer };

/** The table's answer for this signal; `otherwise` for a kind that only a newer rouse knows. */
export function ofKind<Answer>(table: PerKind<Answer>, signal: Signal, otherwise: Answer): Answer {
  if (!Object.hasOwn(table, signal.kind)) return otherwise;
  return (table[signal.kind] as (signal: Signal) => Answer)(signal);
}
