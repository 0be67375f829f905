/** Explained moments as text: verdict, rule, reasons and signals, then the screen row by row. */

import type { Signal } from "../../core/signal.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { MatchedRule, ScreenExplanation } from "../../readers/terminal/explain.js";
import type { ExplainedMoment } from "../../replay/explain.js";
import { paintState, paintText } from "./paint.js";
import { clockText, type TextStyle } from "./timeline.js";
import { fitTo, wrapText } from "./width.js";

const INDENT = " ".repeat(11);
const VALUE_MAX = 200;

export function explainText(name: string, moments: readonly ExplainedMoment[], style: TextStyle): string {
  const lines = [
    paintText(sanitize(name), "bold", style.colour),
    ...moments.flatMap((moment) => momentLines(moment, style)),
  ];
  return `${lines.join("\n")}\n`;
}

function momentLines({ t, rule, assessment, signals, screen }: ExplainedMoment, style: TextStyle): string[] {
  const { state, cause, confidence, level, kinds, reasons } = assessment;
  const part = (label: string, text: string): string[] =>
    wrapText(`${label}: ${sanitize(text, 1000)}`, Math.max(30, style.columns - INDENT.length)).map(
      (line) => INDENT + line,
    );
  return [
    "",
    `${clockText(t).padStart(9)}  ${paintState(state, 0, style.colour)}${cause ? `/${cause}` : ""}`,
    ...part("rule", `${rule === null ? "none" : ruleName(rule)}, confidence ${confidence.toFixed(2)}, level ${level}`),
    ...(kinds.length > 0 ? part("evidence", kinds.join(", ")) : []),
    ...reasons.flatMap((reason) => part("reason", reason)),
    ...signals.flatMap((signal) => part("signal", signalText(signal))),
    ...(screen ? [...part("screen", foundText(screen)), ...rowLines(screen, style)] : []),
  ];
}

/** Kind, source and other fields, without the time and the screen rows, which are shown below. */
function signalText(signal: Signal): string {
  const fields = signal.kind === "screen" ? signal.reading : signal;
  const text = Object.entries(fields)
    .filter(([name, value]) => !SHOWN.has(name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return `${signal.kind} (${signal.source})${text === "" ? "" : ` ${text}`}`;
}

/** Shown elsewhere in the explanation. */
const SHOWN: ReadonlySet<string> = new Set(["kind", "source", "at", "tail"]);

const foundText = ({ profile, composer, dialog }: ScreenExplanation): string =>
  [
    `profile ${profile}`,
    composer ? `composer ${composer.draft === "" ? "empty" : "with a draft"}` : "no composer",
    dialog ? `dialog ${dialog.prompt}` : "no dialog",
  ].join(", ");

function rowLines({ rows }: ScreenExplanation, { columns, colour }: TextStyle): string[] {
  const room = Math.max(30, columns - 14);
  return rows.flatMap(({ row, region, text, rules }) => [
    `${String(row).padStart(4)} ${region.padEnd(8)} ${fitTo(rowText(text), room).trimEnd()}`,
    ...rules.map((rule) => paintText(`${" ".repeat(14)}${fitTo(ruleText(rule), room).trimEnd()}`, "dim", colour)),
  ]);
}

/** Removes control characters; spaces stay, because indentation matters. */
const rowText = (text: string): string => text.replace(/\S+/g, (word) => sanitize(word, VALUE_MAX));

function ruleText({ region, fact, when, groups }: MatchedRule): string {
  const taken = Object.entries(groups).map(([name, value]) => `${name}=${JSON.stringify(sanitize(value, 60))}`);
  return `^ ${region} rule ${fact}${taken.length > 0 ? ` (${taken.join(", ")})` : ""}: ${sanitize(when, VALUE_MAX)}`;
}

/** "byOpenTool" as "open tool". */
const ruleName = (rule: string): string =>
  rule
    .replace(/^by/, "")
    .replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
