/** Spoof screens: real rows of a problem in every place where a program shows text that is not its own. */

import { assess } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { State } from "../../src/core/states.js";
import { generic } from "../../src/programs/generic/screens.js";
import type { AgentProfile } from "../../src/programs/shared/profile.js";
import { TerminalReader } from "../../src/readers/terminal/terminal.js";
import { type Line, paintLines, type Run, textOf } from "../support/recordings.js";
import type { Chrome, Phase } from "./chrome.js";
import type { Specimen } from "./specimens.js";

export const PLACES = [
  "diff",
  "scrollback",
  "output",
  "message",
  "fence",
  "bullet",
  "message start",
  "prompt",
  "draft",
] as const;
export const COLOURS = ["none", "its own", "red", "yellow", "inverse", "code"] as const;
const PHASES: readonly Phase[] = ["working", "finished"];

export interface Spoof {
  specimen: Specimen;
  place: (typeof PLACES)[number];
  colour: (typeof COLOURS)[number];
  phase: Phase;
  /** Cut again into rows of 58 characters. */
  wrapped: boolean;
  /** Nothing is between the spoof and the program's own rows; else the agent adds a last sentence. */
  last: boolean;
  /** The chrome is at the bottom of the screen, with empty rows above it; else right below the reply. */
  spread: boolean;
}

export const nameOf = (s: Spoof): string =>
  [
    s.specimen.name,
    s.place,
    s.colour,
    s.phase,
    s.wrapped ? "wrapped" : "",
    s.last ? "last" : "followed",
    s.spread ? "spread" : "packed",
  ]
    .filter(Boolean)
    .join(" / ");

const flags = [false, true] as const;

/** Every combination, in a fixed order. */
export function allSpoofs(specimens: readonly Specimen[]): Spoof[] {
  const all: Spoof[] = [];
  for (const specimen of specimens)
    for (const place of PLACES)
      for (const colour of COLOURS)
        for (const phase of PHASES)
          for (const wrapped of flags)
            for (const last of flags)
              for (const spread of flags) {
                if (wrapped && colour === "its own") continue;
                all.push({ specimen, place, colour, phase, wrapped, last, spread });
              }
  return all;
}

/** A fixed share of all, spread over every dimension: a stride that shares no factor with the number of combinations. */
export function sampleOf<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all];
  let stride = Math.floor(all.length / count) | 1;
  while (gcd(stride, all.length) !== 1) stride += 2;
  return Array.from({ length: count }, (_, i) => all[(i * stride) % all.length] as T);
}
const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const ROWS = 40;
const COLS = 120;
const SGR: Readonly<Record<string, string>> = {
  red: "\u001b[31m",
  yellow: "\u001b[33m",
  inverse: "\u001b[7m",
  code: "\u001b[38;2;177;185;249m",
};

function coloured({ specimen, colour, wrapped }: Spoof): Line[] {
  if (colour === "its own") return specimen.lines.slice();
  const sgr = SGR[colour] ?? "";
  const texts = specimen.lines.map(textOf).flatMap((text) => (wrapped ? wrapText(text, 58) : [text]));
  return texts.map((text): Run[] => [{ sgr, text }]);
}

function wrapText(text: string, width: number): string[] {
  const rows: string[] = [];
  for (let at = 0; at < Math.max(1, text.length); at += width) rows.push(text.slice(at, at + width));
  return rows;
}

const say = (text: string): Line => [{ sgr: "", text }];
const CLOSING = say("Done: those rows are only the words of a test, and all tests pass.");

function replyOf(spoof: Spoof, { dress }: Chrome): { reply: Line[]; draft: Line[] } {
  const rows = coloured(spoof);
  const after = spoof.last ? [] : [say(""), ...dress.message([CLOSING])];
  const asked = [...dress.prompt([say("Please look at the screens.")]), say("")];
  const indented = (lead: string): Line[] => rows.map((row) => [{ sgr: "", text: lead }, ...row]);
  switch (spoof.place) {
    case "diff":
      return { reply: [...asked, ...dress.diff(rows), ...after], draft: [] };
    case "output":
      return { reply: [...asked, ...dress.output(rows), ...after], draft: [] };
    case "scrollback": {
      const work = [
        ...dress.message([say("I look at the code first.")]),
        say(""),
        ...dress.output([say("def add(a, b):"), say("    return a + b")]),
        say(""),
      ];
      return { reply: [...rows, say(""), ...work, ...dress.message([CLOSING])], draft: [] };
    }
    case "message":
      return {
        reply: [...asked, ...dress.message([say("The screen shows this:"), say(""), ...rows]), ...after],
        draft: [],
      };
    case "fence":
      return {
        reply: [...asked, ...dress.message([say("The screen shows this:"), say(""), ...indented("    ")]), ...after],
        draft: [],
      };
    case "bullet":
      return {
        reply: [
          ...asked,
          ...dress.message([say("I found:"), say(""), ...rows.map((row): Line => [{ sgr: "", text: "- " }, ...row])]),
          ...after,
        ],
        draft: [],
      };
    case "message start":
      return { reply: [...asked, ...dress.message(rows), ...after], draft: [] };
    case "prompt":
      return { reply: [...dress.prompt(rows), say(""), ...dress.message([CLOSING])], draft: [] };
    case "draft":
      return { reply: [...asked, ...dress.message([CLOSING])], draft: rows.slice(0, 14) };
  }
}

/** The whole screen: as much of the reply's end as fits above the chrome. */
export function screenOf(spoof: Spoof, chrome: Chrome): Line[] {
  const { reply, draft } = replyOf(spoof, chrome);
  const bottom = chrome.bottom(spoof.phase, draft);
  const room = ROWS - bottom.length - 1;
  const shown = reply.slice(-room);
  const gap = spoof.spread ? ROWS - bottom.length - shown.length : 1;
  return [...shown, ...Array.from({ length: gap }, () => say("")), ...bottom];
}

/** Seconds of the checks, and of the work before them: long enough for every fact of the screen to be confirmed. */
const CHECKS: readonly (readonly [second: number, before: "work" | "spoof" | null])[] = [
  [0, "work"],
  [0.5, null],
  [1, null],
  ...[2, 2.5, 3, 4, 6, 9, 15, 26].map((second): [number, "spoof" | null] => [second, second === 2 ? "spoof" : null]),
];

/** The verdicts of rouse on a screen that follows ordinary work, check by check. */
export function statesOf(
  profile: AgentProfile,
  chrome: Chrome,
  screen: readonly Line[],
): { state: State; reason: string }[] {
  const reader = new TerminalReader(profile, { cols: COLS, rows: ROWS, zone: "UTC", structure: generic });
  const evidence = createEvidence({ ...profile.traits, versions: profile.versions });
  const start = Date.UTC(2026, 0, 5, 12);
  const work = [
    ...chrome.dress.prompt([say("Please look at the screens.")]),
    say(""),
    ...chrome.dress.message([say("I look at the code first.")]),
    say(""),
    ...chrome.bottom("working", []),
  ];
  takeSignal(evidence, { kind: "input", at: start, source: "screen", by: "human", bytes: 1, submits: true });
  const said: { state: State; reason: string }[] = [];
  for (const [second, bytes] of CHECKS) {
    const at = start + second * 1000;
    if (bytes !== null) reader.write(paintLines(bytes === "work" ? work : screen, COLS));
    for (const signal of reader.check(at)) takeSignal(evidence, signal);
    if (second < 2) continue;
    const { state, reasons } = assess(evidence, at);
    said.push({ state, reason: reasons[0] ?? "" });
  }
  reader.dispose();
  return said;
}
