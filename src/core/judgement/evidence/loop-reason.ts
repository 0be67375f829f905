/** The sentence that explains a loop to a user: one per rule. */
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
      if (reported.entry.anyCall) return `The same error ${times}, whatever the arguments (${reported.entry.tool})`;
      if (reported.entry.period > 1)
        return `A cycle of ${reported.entry.period} calls with the same results ${times}, with no change in between`;
      return `The same ${reported.entry.tool} call with the same ${reported.entry.isError ? "failure" : "result"} ${times}, with no change in between`;
    case "among":
      return `The same ${reported.entry.tool} call with the same result ${times} among other calls, with no change in between`;
    case "circle":
      return `${reported.rounds} rounds in ${inTime} (${source}) brought nothing new (${reported.entry.tool})`;
    case "message":
      return `The same message ${times}, with nothing new in between`;
    case "error":
      return `The program failed the same way ${times}, with nothing new in between`;
    case "compaction":
      return `The context was compacted ${times}, with nothing new in between`;
    case "shown":
      return `The screen shows the same ${reported.period} rows ${times}, one below the other: ${reported.text}`;
    case "text":
      return `The text repeats a block of ${reported.period} characters ${times}`;
  }
}

const lasted = (ms: number): string => (ms < 1000 ? "less than a second" : formatDuration(ms));
