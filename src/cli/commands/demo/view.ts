/** The demo for people: a frame that fits the terminal, lines where there is none, and the summary at the end. */

import { formatDuration } from "../../../core/text/duration.js";
import { sanitize } from "../../../core/text/sanitize.js";
import type { Ending } from "../../../demo/cast.js";
import { endingOf, type Story, type StoryEvent, type StoryRow } from "../../../demo/story.js";
import { paintState, paintText } from "../../text/paint.js";

export interface Frame {
  columns: number;
  rows: number;
  colour: boolean;
}

export interface Times {
  /** Real milliseconds since the beginning. */
  realMs: number;
  /** How many times as fast the agents' clocks run. */
  times: number;
}

const NAME = 10;
const STATE = 22;
const COLUMNS_MIN = 40;

const ENDINGS: Readonly<Record<Ending, { word: string; colour: "green" | "blue" | "yellow" }>> = {
  left_alone: { word: "left alone", colour: "blue" },
  recovered: { word: "recovered", colour: "green" },
  escalated: { word: "handed over", colour: "yellow" },
};

/** One screen; never more rows or columns than there are. */
export function frameText(story: Story, frame: Frame, times: Times): string {
  const { colour } = frame;
  const columns = Math.max(COLUMNS_MIN, frame.columns);
  const head = paintText(cut(headline(times), columns), "bold", colour);
  const foot = paintText(cut("Ctrl-C ends it; nothing is left behind.", columns), "dim", colour);
  const room = Math.max(1, frame.rows - 1);
  const lines = [
    head,
    "",
    ...story.rows.flatMap((row, i) => [
      ...(i > 0 && frame.rows >= ROOMY ? [""] : []),
      rowText(row, columns, colour),
      paintText(cut(`  ${sanitize(row.story, 300)}`, columns), "dim", colour),
    ]),
    "",
    foot,
  ];
  if (lines.length <= room) return lines.join("\n");
  // A row for each; who has none is counted.
  const brief = story.rows.map((row) => rowText(row, columns, colour));
  const shown = brief.length + 2 <= room ? brief.length : Math.max(0, room - 3);
  const more = shown < brief.length ? [`and ${brief.length - shown} more`] : [];
  return [head, ...brief.slice(0, shown), ...more, foot].slice(0, room).join("\n");
}

/** Six agents of two rows each, an empty one between them, head and foot. */
const ROOMY = 22;

function headline({ realMs, times }: Times): string {
  const [real, theirs] = [realMs, realMs * times].map((ms) => formatDuration(ms));
  return `rouse demo: six scripted agents, clocks ${times} times as fast: ${real} here, ${theirs} there`;
}

function rowText(
  { member, state, cause, doing, did, next, ending }: StoryRow,
  columns: number,
  colour: boolean,
): string {
  const word = cut(cause ? `${state}/${cause}` : state, STATE).padEnd(STATE);
  const painted = word.startsWith(state) ? paintState(state, 0, colour) + word.slice(state.length) : word;
  const done = did.join(", ");
  const [end, tint] = ending === null ? ["", null] : [ENDINGS[ending].word, ENDINGS[ending].colour];
  const right = [end, done].filter(Boolean).join(": ");
  const room = Math.max(0, columns - NAME - STATE - 4);
  const text = cut(right || sanitize(next ?? doing, 200), room);
  const reported = tint && text.startsWith(end) ? paintText(end, tint, colour) + text.slice(end.length) : text;
  return `${paintText(member.name.padEnd(NAME), "bold", colour)}  ${painted}  ${reported}`.trimEnd();
}

/** One event as a line, for where there is no screen. */
export function eventLineText({ t, agent, event, state, cause, do: name, text }: StoryEvent): string {
  const what: Record<StoryEvent["event"], string> = {
    state: cause ? `${state}/${cause}` : state,
    confirmed: "rouse: confirmed",
    action: `rouse: ${name}`,
    outcome: `rouse: ${name}`,
    escalated: "rouse: handed over",
    recovered: "rouse: recovered",
  };
  return `${t.toFixed(1).padStart(6)} s  ${agent.padEnd(NAME)}  ${what[event].padEnd(STATE)}  ${sanitize(text, 300)}`;
}

/** Who was mended, who is handed over, how long it took, and what to try next. */
export function storySummaryText(story: Story, times: Times, { colour }: Pick<Frame, "colour">): string {
  const order: readonly (Ending | null)[] = ["recovered", "escalated", "left_alone", null];
  const lines = order.flatMap((ending) =>
    story.rows
      .filter((row) => row.ending === ending)
      .map((row) => {
        const { word, colour: tint } = ending === null ? UNSEEN : ENDINGS[ending];
        return `  ${paintText(word.padEnd(11), tint, colour)}  ${row.member.name.padEnd(NAME)}  ${endingOf(row)}`;
      }),
  );
  const took = `${formatDuration(times.realMs)}, ${formatDuration(times.realMs * times.times)} by the agents' clocks`;
  return `${[paintText(`It took ${took}.`, "bold", colour), ...lines, "", ...NEXT].join("\n")}\n`;
}

const UNSEEN = { word: "no end seen", colour: "red" } as const;

const NEXT = [
  "Agents, daemon and files of the demo are gone again. With an agent of your own:",
  "  rouse run -- claude   in this terminal, watched; nothing looks different",
  "  rouse watch           adopt the agents that run already",
  "  rouse status          everybody in one table; rouse why NAME has the evidence",
  "  rouse allow --all     let rouse act as it did here; until then it only tells",
] as const;

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
