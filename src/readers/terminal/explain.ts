/** One check of a screen in its parts: the region of each row, and the rules of the profile that match it. */
import type { ScreenReading } from "../../core/signal.js";
import type { CompiledProfile } from "./compiled.js";
import type { Layout, Match } from "./layout.js";
import type { Range } from "./regions.js";
import type { ScreenFacts } from "./screen-check.js";
import type { ScreenText } from "./screen-text.js";

export type RegionName = "reply" | "status" | "composer" | "dialog" | "foot" | "";

export interface MatchedRule {
  region: string;
  fact: string;
  when: string;
  groups: Record<string, string>;
}

export interface ExplainedRow {
  /** From 1, as terminals count. */
  row: number;
  text: string;
  region: RegionName;
  rules: MatchedRule[];
}

export interface ScreenExplanation {
  /** Id of the profile that read the screen: `generic` if it does not match the program's own. */
  profile: string;
  composer: { draft: string } | null;
  dialog: { prompt: string; question: string } | null;
  /** Rows with text. */
  rows: ExplainedRow[];
  /** The facts of the check. They become a signal when a second check agrees. */
  facts: Omit<ScreenReading, "moving">;
}

export function explainScreen(
  { profile }: CompiledProfile,
  { rows }: ScreenText,
  { composer, dialog, regions, status, foot, last }: Layout,
  facts: ScreenFacts,
): ScreenExplanation {
  const regionOf = (y: number): RegionName => {
    if (dialog && y >= dialog.top) return "dialog";
    if (composer && y >= composer.top && y <= composer.bottom) return "composer";
    if (isWithin(regions.status, y)) return "status";
    if (isWithin(regions.foot, y)) return "foot";
    return y < regions.replyEnd ? "reply" : "";
  };
  const matches = [...status, ...foot, ...last];
  return {
    profile: profile.id,
    composer: composer && { draft: composer.draft },
    dialog: dialog && { prompt: dialog.prompt, question: dialog.question },
    rows: rows.flatMap(({ text, isBlank }, y) =>
      isBlank
        ? []
        : [{ row: y + 1, text, region: regionOf(y), rules: matches.filter((one) => one.y === y).map(matchedRule) }],
    ),
    facts,
  };
}

const isWithin = ([from, to]: Range, y: number): boolean => y >= from && y < to;

const matchedRule = ({ rule, groups }: Match): MatchedRule => ({
  region: rule.region,
  fact: rule.fact,
  when: rule.when.source,
  groups,
});
