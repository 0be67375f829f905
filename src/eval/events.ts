/**
 * Scores loop verdicts on reconstructed event streams. A case counts as a loop if an entry of its timeline is stuck
 * with a cause of the loop family: any entry, or only the last one if the stream is to be judged at its end.
 */
import { isLoop } from "./timeline.js";
import type { Timeline, VerdictLine } from "./types.js";

export interface EventTruth {
  id: string;
  family: string;
  /** `semantic` cases define a loop; the others test a detector's own threshold or are disputed. */
  nature: string;
  expect: "loop" | "not_loop";
  judge: "any" | "end";
}

export interface EventCase {
  truth: EventTruth;
  timeline: Timeline | null;
}

export interface LoopFigures {
  /** null without cases. */
  precision: number | null;
  /** null without loops to find. */
  recall: number | null;
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  trueNegatives: number;
}

export interface WrongVerdict {
  case: string;
  family: string;
  nature: string;
  expect: "loop" | "not_loop";
  /** The wrong verdict, or the last one if a loop was missed; null without a verdict. */
  said: VerdictLine | null;
}

export interface EventFigures {
  cases: number;
  semantic: LoopFigures;
  all: LoopFigures;
  wrong: WrongVerdict[];
}

interface Judged {
  truth: EventTruth;
  loop: boolean;
  said: VerdictLine | null;
}

export function scoreEvents(cases: readonly EventCase[]): EventFigures {
  const judged = cases.map(judge);
  return {
    cases: cases.length,
    semantic: countLoops(judged.filter(({ truth }) => truth.nature === "semantic")),
    all: countLoops(judged),
    wrong: judged
      .filter(({ truth, loop }) => loop !== (truth.expect === "loop"))
      .map(({ truth: { id, family, nature, expect }, said }) => ({ case: id, family, nature, expect, said })),
  };
}

function judge({ truth, timeline }: EventCase): Judged {
  const entries = (timeline ?? []).slice(truth.judge === "end" ? -1 : 0);
  const loop = entries.find(isLoop);
  const decisive = loop ?? entries.at(-1);
  if (!decisive) return { truth, loop: false, said: null };
  const { t, state, cause, reasons } = decisive;
  return { truth, loop: loop !== undefined, said: { t, state, cause, reasons } };
}

/** Precision without any verdict and recall without any loop are undefined. */
function countLoops(judged: readonly Judged[]): LoopFigures {
  const count = (expect: string, loop: boolean) =>
    judged.filter((one) => one.truth.expect === expect && one.loop === loop).length;
  const truePositives = count("loop", true);
  const falsePositives = count("not_loop", true);
  const falseNegatives = count("loop", false);
  const said = truePositives + falsePositives;
  const loops = truePositives + falseNegatives;
  return {
    precision: judged.length === 0 ? null : said > 0 ? truePositives / said : 1,
    recall: loops > 0 ? truePositives / loops : null,
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives: count("not_loop", false),
  };
}
