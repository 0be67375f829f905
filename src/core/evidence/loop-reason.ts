/** The sentence that explains a loop to a person: one per rule. */
import { spell } from "../spell.js";
import type { RepeatReport } from "./loop-repeats.js";
import type { TalkReport } from "./loop-talk.js";

interface ShownReport {
  rule: "shown";
  rounds: number;
  period: number;
  since: number;
  until: number;
  text: string;
}

type Explained = RepeatReport | (TalkReport & { until: number }) | ShownReport;

export function reasonOf(told: Explained): string {
  const inTime = lasted(told.until - told.since);
  const source = told.rule === "shown" ? "screen" : "entry" in told ? told.entry.source : told.source;
  const times = `${told.rounds} times in ${inTime} (${source})`;
  switch (told.rule) {
    case "run":
      if (told.entry.anyCall) return `the same error ${times}, whatever the arguments (${told.entry.tool})`;
      if (told.entry.period > 1)
        return `a cycle of ${told.entry.period} calls with the same results, ${times}, nothing changed between`;
      return `the same ${told.entry.tool} call with the same ${told.entry.isError ? "failure" : "result"} ${times}, nothing changed between`;
    case "among":
      return `the same ${told.entry.tool} call with the same result ${times} among other calls, nothing changed between`;
    case "circle":
      return `${told.rounds} rounds in ${inTime} (${source}) brought only what was seen before (${told.entry.tool})`;
    case "message":
      return `the same message ${times}, nothing new between`;
    case "error":
      return `the program failed in the same way ${times}, nothing new between`;
    case "compaction":
      return `the context was compacted ${times}, nothing new between`;
    case "shown":
      return `the screen shows the same ${told.period} rows ${times}, one below the other: ${told.text}`;
    case "text":
      return `the text repeats a block of ${told.period} characters ${times}`;
  }
}

const lasted = (ms: number): string => (ms < 1000 ? "less than a second" : spell(ms));
