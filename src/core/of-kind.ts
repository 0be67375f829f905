import type { Signal, SignalKind } from "./signal.js";

export type SignalOf<K extends SignalKind> = Extract<Signal, { kind: K }>;

/** One entry per kind of signal: a new kind does not compile until it has an entry. */
export type PerKind<Answer> = { readonly [K in SignalKind]: (signal: SignalOf<K>) => Answer };

/** The table's entry for this signal; `otherwise` for a kind from a newer version of rouse. */
export function ofKind<Answer>(table: PerKind<Answer>, signal: Signal, otherwise: Answer): Answer {
  if (!Object.hasOwn(table, signal.kind)) return otherwise;
  return (table[signal.kind] as (signal: Signal) => Answer)(signal);
}
