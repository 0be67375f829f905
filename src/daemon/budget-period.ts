/** The budget period of an agent, in this machine's time zone. */
import type { BudgetPeriod } from "../core/judgement/period-spend.js";

/** Calendar days, so that a period starts at the same hour also when clocks change. */
export function budgetPeriodAt(now: number, startHour: number): BudgetPeriod {
  const start = new Date(now);
  start.setHours(startHour, 0, 0, 0);
  if (start.getTime() > now) start.setDate(start.getDate() - 1);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { from: start.getTime(), to: end.getTime() };
}
