/** The night of an agent in this machine's time zone, and what all its sessions used in it. */
import { setting } from "../core/defaults.js";
import { spentBetween } from "../core/evidence/spend.js";
import { hasSpendBudget, type Night, type NightSpend, nightSpend } from "../core/spending.js";
import type { Watched } from "./watched.js";

/** Calendar days, so that it starts at the same hour also where clocks are changed. */
export function nightAt(now: number, hour: number): Night {
  const start = new Date(now);
  start.setHours(hour, 0, 0, 0);
  if (start.getTime() > now) start.setDate(start.getDate() - 1);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { from: start.getTime(), to: end.getTime() };
}

/** Null where no budget is set: nothing is added up then. */
export function spendOf(watched: Watched, all: Iterable<Watched>, now: number): NightSpend | null {
  const { settings, session } = watched;
  if (!hasSpendBudget(settings)) return null;
  const night = nightAt(now, setting(settings, "night_starts_hour"));
  const sessions = [...all].filter((other) => other.session.name === session.name);
  return nightSpend(
    sessions.map(({ evidence }) => spentBetween(evidence.spend, night.from, night.to)),
    night,
    settings,
  );
}
