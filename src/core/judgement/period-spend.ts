/** Compares the spending of all sessions of an agent in one budget period with its budgets. */
import { type Settings, settingOf } from "../defaults.js";
import type { TokenSpend } from "./evidence/spend.js";

/** From the hour at which a night starts to the same hour of the next day. */
export interface BudgetPeriod {
  from: number;
  to: number;
}

export interface PeriodSpend extends TokenSpend {
  period: BudgetPeriod;
  /** 0 means no budget. */
  tokensBudget: number;
  costBudget: number;
  /** The budgets that are used up, one sentence each. */
  over: string[];
  /** What the sums leave out, or null. */
  doubt: string | null;
}

export const hasSpendBudget = (settings: Settings): boolean =>
  settingOf(settings, "tokens_per_night") > 0 || settingOf(settings, "cost_usd_per_night") > 0;

export function periodSpend(sessions: readonly TokenSpend[], period: BudgetPeriod, settings: Settings): PeriodSpend {
  const tokensBudget = settingOf(settings, "tokens_per_night");
  const costBudget = settingOf(settings, "cost_usd_per_night");
  const [tokens, costUsd, unpriced] = (["tokens", "costUsd", "unpriced"] as const).map((what) =>
    sessions.reduce((total, spent) => total + spent[what], 0),
  ) as [number, number, number];
  const over: string[] = [];
  if (tokensBudget > 0 && tokens >= tokensBudget) over.push(`${tokens} tokens used tonight (budget: ${tokensBudget})`);
  if (costBudget > 0 && costUsd >= costBudget)
    over.push(`$${costUsd.toFixed(2)} spent tonight (budget: $${costBudget.toFixed(2)})`);
  const doubt =
    costBudget > 0 && unpriced > 0
      ? `${unpriced} tokens used tonight have no known price and are not part of the $${costUsd.toFixed(2)}`
      : null;
  return { period, tokens, costUsd, unpriced, tokensBudget, costBudget, over, doubt };
}
