/** The sentence that explains a loop to a person: one per rule. */
import { formatDuration } from "../../text/duration.js";
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

export function reasonOf(reported: Explained): string {
  const inTime = lasted(reported.until - reported.since);
  const source = reported.rule === "shown" ? "screen" : "entry" in reported ? reported.entry.source : reported.source;
  const times = `${reported.rounds} times in ${inTime} (${source})`;
  switch (reported.rule) {
    case "run":
      if (reported.entry.anyCall) return `the same error ${times}, whatever the arguments (${reported.entry.tool})`;
      if (reported.entry.period > 1)
        return `a cycle of ${reported.entry.period} calls with the same results, ${times}, nothing changed between`;
      return `the same ${reported.entry.tool} call with the same ${reported.entry.isError ? "failure" : "result"} ${times}, nothing changed between`;
    case "among":
      return `the same ${reported.entry.tool} call with the same result ${times} among other calls, nothing changed between`;
    case "circle":
      return `${reported.rounds} rounds in ${inTime} (${source}) brought only what was seen before (${reported.entry.tool})`;
    case "message":
      return `the same message ${times}, nothing new between`;
    case "error":
      return `the program failed in the same way ${times}, nothing new between`;
    case "compaction":
      return `the context was compacted ${times}, nothing new between`;
    case "shown":
      return `the screen shows the same ${reported.period} rows ${times}, one below the other: ${reported.text}`;
    case "text":
      return `the text repeats a block of ${reported.period} characters ${times}`;
  }
}

const lasted = (ms: number): string => (ms < 1000 ? "less than a second" : formatDuration(ms));
