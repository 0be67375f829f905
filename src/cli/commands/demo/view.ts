/** The demo as text: a frame that fits the terminal, lines without a terminal, and the final summary. */

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
  /** Real milliseconds since the start. */
  realMs: number;
  /** Speed of the agents' clocks. */
  times: number;
  /** Real milliseconds in which the demo waited for a CPU. */
  starvedMs?: number;
}

/** Shorter waits do not change the course of the demo. */
const STARVED_MS = 5000;

function lackOfCpu({ starvedMs = 0 }: Times): string[] {
  if (starvedMs < STARVED_MS) return [];
  return [`This machine is short of CPU: the demo waited ${formatDuration(starvedMs)} for it and takes longer.`];
}

const NAME = 10;
const STATE = 22;
const COLUMNS_MIN = 40;

const ENDINGS: Readonly<Record<Ending, { word: string; colour: "green" | "blue" | "yellow" }>> = {
  left_alone: { word: "left alone", colour: "blue" },
  recovered: { word: "recovered", colour: "green" },
  escalated: { word: "needs you", colour: "yellow" },
};

/** One screen; never exceeds the terminal. */
export function frameText(story: Story, frame: Frame, times: Times): string {
  const { colour } = frame;
  const columns = Math.max(COLUMNS_MIN, frame.columns);
  const head = paintText(cut(headline(times), columns), "bold", colour);
  const foot = paintText(cut("Press Ctrl-C to stop; the demo leaves nothing behind.", columns), "dim", colour);
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
    ...lackOfCpu(times).map((line) => cut(line, columns)),
    foot,
  ];
  if (lines.length <= room) return lines.join("\n");
  // One row per agent; agents without a row are counted.
  const brief = story.rows.map((row) => rowText(row, columns, colour));
  const shown = brief.length + 2 <= room ? brief.length : Math.max(0, room - 3);
  const more = shown < brief.length ? [`and ${brief.length - shown} more`] : [];
  return [head, ...brief.slice(0, shown), ...more, foot].slice(0, room).join("\n");
}

/** Six agents of two rows each, empty rows between them, head and foot. */
const ROOMY = 22;

function headline({ realMs, times }: Times): string {
  const [real, theirs] = [realMs, realMs * times].map((ms) => formatDuration(ms));
  return `rouse demo: six scripted agents at ${times}x speed: ${real} real time, ${theirs} agent time`;
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

/** One event as a line, for output that is no terminal. */
export function eventLineText({ t, agent, event, state, cause, do: name, text }: StoryEvent): string {
  const what: Record<StoryEvent["event"], string> = {
    state: cause ? `${state}/${cause}` : state,
    confirmed: "rouse: confirmed",
    action: `rouse: ${name}`,
    outcome: `rouse: ${name}`,
    escalated: "rouse: needs you",
    recovered: "rouse: recovered",
  };
  return `${t.toFixed(1).padStart(6)} s  ${agent.padEnd(NAME)}  ${what[event].padEnd(STATE)}  ${sanitize(text, 300)}`;
}

/** The outcome of each agent, the duration, and what to try next. */
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
  const took = `${formatDuration(times.realMs)} (${formatDuration(times.realMs * times.times)} on the agents' clocks)`;
  return `${[paintText(`Took ${took}.`, "bold", colour), ...lackOfCpu(times), ...lines, "", ...NEXT].join("\n")}\n`;
}

const UNSEEN = { word: "unfinished", colour: "red" } as const;

const NEXT = [
  "The demo's agents, daemon and files were removed. To use your own agents:",
  "  rouse run -- claude   run your agent in this terminal and watch it",
  "  rouse watch           watch agents that are already running",
  "  rouse status          list all agents; `rouse why NAME` shows the evidence",
  "  rouse allow --all     turn on automatic recovery (off by default)",
] as const;

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
