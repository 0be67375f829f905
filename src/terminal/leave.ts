/**
 * Marks an agent's end as intended: by the user or by a client. The host stores it with the record, for a daemon that was
 * not running at that time. A stop by a policy is not such a mark: the recovery plan continues.
 */
import type { InputSignal } from "../core/signal.js";

export type LeftBy = "human" | "client";

export const quitSignal = (by: LeftBy | "rouse", at: number): InputSignal => ({
  kind: "input",
  at,
  source: by === "human" ? "human" : "observer",
  by: by === "human" ? by : "rouse",
  bytes: 0,
  quits: true,
  ...(by === "client" ? { ordered: true } : {}),
});

/**
 * A command to stop it: `rouse stop`, or the stop of a client. A record of the end does not distinguish it from keys.
 */
export const stopSignal = (by: LeftBy | "rouse", at: number): InputSignal => ({
  ...quitSignal(by, at),
  ...(by === "rouse" ? {} : { ordered: true }),
});

export const leftBy = ({ by }: InputSignal): LeftBy => (by === "human" ? by : "client");
