/**
 * The word that an agent is meant to end: a person's own, or the order of a client. Its host keeps it with the record, for a
 * daemon that was not there to be told. What rouse ends for a policy is no such word: the recovery plan goes on.
 */
import type { InputSignal } from "../core/signal.js";

export type LeftBy = "human" | "client";

export const quitOf = (by: LeftBy | "rouse", at: number): InputSignal => ({
  kind: "input",
  at,
  source: by === "human" ? "human" : "observer",
  by: by === "human" ? by : "rouse",
  bytes: 0,
  quits: true,
  ...(by === "client" ? { ordered: true } : {}),
});

/** A command to stop it: `rouse stop`, or the stop of a client. A record of the end does not tell it from keys. */
export const stopOf = (by: LeftBy | "rouse", at: number): InputSignal => ({
  ...quitOf(by, at),
  ...(by === "rouse" ? {} : { ordered: true }),
});

export const leftBy = ({ by }: InputSignal): LeftBy => (by === "human" ? by : "client");
