/** Figures as text: a table of detections, then the targets. */
import { sanitize } from "../../core/text/sanitize.js";
import type { BarResult, Figures } from "../../eval/bars.js";
import type { Detection, VerdictLine } from "../../eval/types.js";
import { paintText } from "./paint.js";
import { clockText, type TextStyle } from "./timeline.js";
import { wrapText } from "./width.js";

export function figuresText(figures: Figures, bars: readonly BarResult[], { colour, columns }: TextStyle): string {
  const lines: string[] = [];
  const sentence = (text: string): void => {
    lines.push(...wrapText(text, columns));
  };
  const { live, events, resetTimes, sessions } = figures;
  if (live) {
    lines.push(`${live.replayed} of ${live.cases} recorded ${live.cases === 1 ? "case" : "cases"} replayed`, "");
    lines.push(row("true state", "found", "of", "p50 s", "p95 s"));
    for (const [state, found] of Object.entries(live.states)) lines.push(detectionRow(state, found));
    lines.push(detectionRow("all but hangs", live.pooled), detectionRow("all", live.total), "");
  }
  if (events) {
    const { semantic, all } = events;
    sentence(
      `${events.cases} event streams: precision ${number(semantic.precision)}, recall ${number(semantic.recall)} (all natures: ${number(all.precision)}, ${number(all.recall)})`,
    );
  }
  if (resetTimes) sentence(`${resetTimes.of} reset times: ${resetTimes.right} correct to the minute`);
  if (sessions) {
    const found = Object.entries(sessions.found).map(([label, d]) => `${label} ${d.detected}/${d.of}`);
    sentence(
      `${sessions.sessions} transcripts: ${sessions.alarms.length} alarms in ${sessions.agentHours.toFixed(1)} quiet agent-hours; found ${found.join(", ")}`,
    );
    const wrong = Object.entries(sessions.wrong).map(([kind, { lasting, brief }]) => `${kind}s ${lasting} (${brief})`);
    sentence(
      `  wrong for 5 s or more (less) in ${sessions.workHours.toFixed(1)} hours at work: ${wrong.join(", ")}; permission waits found ${sessions.permissions.detected}/${sessions.permissions.of}`,
    );
  }
  lines.push("", "targets");
  for (const bar of bars) lines.push(...barRows(bar, { colour, columns }));
  return `${lines.join("\n")}\n`;
}

const row = (name: string, ...cells: string[]): string =>
  `  ${sanitize(name, 60).padEnd(22)}${cells.map((c) => c.padStart(8)).join("")}`;
const number = (value: number | null | undefined, digits = 3): string =>
  value === null || value === undefined ? "–" : value.toFixed(digits);
const detectionRow = (name: string, d: Detection): string =>
  row(name, String(d.detected), String(d.of), number(d.p50, 1), number(d.p95, 1));

/** Width of the longest name, and of figure, target and result beside it. */
const NAME_WIDTH = 43;
const BESIDE_WIDTH = 30;
const UNITS: Readonly<Record<BarResult["unit"], string>> = {
  share: "",
  count: "",
  seconds: " s",
  "per hour": "/h",
};

/** A name that is too long for the terminal wraps; its last row has the figure. */
function barRows({ name, figure, unit, relation, bar, met }: BarResult, { colour, columns }: TextStyle): string[] {
  const mark =
    met === null
      ? paintText("no cases", "dim", colour)
      : met
        ? paintText("met", "green", colour)
        : paintText("MISSED", "red", colour);
  const width = Math.max(20, Math.min(NAME_WIDTH, columns - BESIDE_WIDTH));
  const names = wrapText(name, width);
  const wanted = `${relation === "at least" ? "≥" : "≤"} ${bar}${UNITS[unit]}`;
  const last = `  ${(names.at(-1) ?? "").padEnd(width)}${number(figure, unit === "count" ? 0 : 3).padStart(8)}  ${wanted.padEnd(8)}  ${mark}`;
  return [...names.slice(0, -1).map((part) => `  ${part}`), last];
}

/** Errors with the verdict at that time and its reasons. */
export function worstText(figures: Figures, colour: boolean): string {
  const lines: string[] = [];
  const title = (text: string): void => {
    lines.push("", paintText(sanitize(text, 1000), "bold", colour));
  };
  const saying = (said: VerdictLine): void => {
    lines.push(
      `      ${clockText(said.t)} ${said.state}${said.cause ? `/${said.cause}` : ""}: ${said.reasons.join(" · ").slice(0, 220)}`,
    );
  };
  const { live, events, resetTimes, sessions } = figures;
  if (live) {
    for (const miss of live.misses) {
      title(`missed ${miss.truth} in ${miss.case} at ${clockText(miss.from)}`);
      miss.instead.forEach(saying);
    }
    for (const wrong of [...live.falseAlarms, ...live.falseCompletions]) {
      title(`said ${wrong.state} while ${wrong.truth} in ${wrong.case}`);
      saying(wrong);
    }
    for (const held of live.notHeld) {
      title(`did not last: ${held.truth} in ${held.case}`);
      held.instead.forEach(saying);
    }
    for (const { truth, case: name, from, delay, within, instead } of live.late) {
      title(
        `late: ${truth} in ${name} at ${clockText(from)}, reported after ${delay.toFixed(1)} s, not within ${within} s`,
      );
      instead.forEach(saying);
    }
    for (const cause of live.wrongCause)
      title(`wrong cause: ${cause.truth} in ${cause.case}: ${cause.causes.join(", ")}`);
  }
  for (const wrong of events?.wrong ?? []) title(`event stream ${JSON.stringify(wrong)}`);
  for (const wrong of resetTimes?.wrong ?? []) title(`reset time ${JSON.stringify(wrong)}`);
  for (const alarm of sessions?.alarms ?? []) {
    title(`alarm while ${alarm.label} (${alarm.doing}) in ${alarm.file.split("/").slice(-2).join("/")}`);
    saying(alarm);
  }
  for (const miss of sessions?.misses ?? []) {
    title(
      `missed ${miss.label} (${miss.doing}, ${Math.round(miss.seconds)} s) in ${miss.file.split("/").slice(-2).join("/")} at ${clockText(miss.t)}`,
    );
    miss.instead.forEach(saying);
  }
  return lines.length === 0 ? "\nno errors\n" : `${lines.join("\n")}\n`;
}
