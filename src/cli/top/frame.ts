/** One frame of `rouse top`: a pure function of the model, the size of the terminal and the time. */
import type { State } from "../../core/states.js";
import { formatAgo, formatDuration } from "../../core/text/duration.js";
import { sanitize, sanitizeLine } from "../../core/text/sanitize.js";
import type { SessionView } from "../../daemon/views/view.js";
import { paintState, paintText } from "../text/paint.js";
import { fitTo, foldLine, textWidth, wrapText } from "../text/width.js";
import { KEYS } from "./keys.js";
import { GROUPS, groupOf, HEALTHY_GROUP, type ListRow, listRows, selectedRow, type TopModel } from "./model.js";

export interface FrameSize {
  width: number;
  height: number;
}

/** Texts of agents are cut to this before anything is measured. */
const TEXT_MAX = 600;
/** Title, head of the list, notice, keys. */
const FIXED_ROWS = 4;
const NOTICE_MS = 30_000;

/** Exactly `height` lines, none wider than `width`. */
export function frameOf(model: TopModel, size: FrameSize, now: number): string[] {
  const { width, height } = size;
  const room = Math.max(0, height - FIXED_ROWS);
  const body = model.page ? pageLines(model, width, room) : listLines(model, width, room, now);
  const lines = [titleLine(model, width), ...body.slice(0, room + 1)];
  while (lines.length < room + 2) lines.push("");
  lines.push(statusLine(model, width, now), hintLine(model, width));
  // The line that asks or reports is worth more than the list.
  const shown = height >= FIXED_ROWS ? lines : lines.slice(-Math.max(1, height));
  return shown.map((line) => cut(line, width));
}

/** The one place where a line gets its width: painted text is cut without its colour. */
function cut(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  return fitTo(line.replace(/\u001b\[[0-9;]*m/g, ""), width);
}

function titleLine(model: TopModel, width: number): string {
  const { page, order, isColoured } = model;
  if (page)
    return paintText(fitTo(clean(page.title), Math.min(width, textWidth(clean(page.title)))), "bold", isColoured);
  const groups = GROUPS.toSorted((a, b) => a.number - b.number)
    .map(({ number, name }) => ({
      number,
      name,
      count: model.agents.filter((agent) => groupOf(model, agent) === number).length,
    }))
    .filter(({ number, count }) => count > 0 || number === 1 || number === HEALTHY_GROUP);
  const mark = (number: number, text: string): string => (model.group === number ? `[${text}]` : text);
  const counts = groups.map(({ number, name, count }) => mark(number, `${number} ${name} ${count}`)).join(" · ");
  const right = `order: ${order}`;
  const gap = width - TITLE.length - textWidth(counts) - right.length;
  if (gap >= 2) return `${paintText(TITLE, "bold", isColoured)}${counts}${" ".repeat(gap)}${right}`;
  if (TITLE.length + textWidth(counts) <= width) return `${paintText(TITLE, "bold", isColoured)}${counts}`;
  if (textWidth(counts) <= width) return counts;
  return groups.map(({ number, count }) => mark(number, `${number}:${count}`)).join(" ");
}

const TITLE = "rouse  ";

const clean = (text: string): string => sanitize(text, TEXT_MAX);

interface Columns {
  name: number;
  state: number;
  /** Width of the strip; 0 without one. */
  strip: number;
  hasActivity: boolean;
  hasCost: boolean;
}

const AGE = 7;
const MARK = 2;

function columnsFor(rows: readonly SessionView[], width: number): Columns {
  const name = Math.max(4, ...rows.map((agent) => textWidth(clean(agent.name))));
  const state = Math.max(5, ...rows.map((agent) => stateText(agent).length));
  const columns: Columns = {
    name,
    state,
    strip: 48,
    hasActivity: true,
    hasCost: rows.some((a) => a.cost_usd_24h !== null),
  };
  const needed = (): number =>
    MARK +
    columns.name +
    2 +
    columns.state +
    2 +
    AGE +
    (columns.hasActivity ? AGE + 2 : 0) +
    (columns.hasCost ? 9 : 0) +
    (columns.strip > 0 ? columns.strip + 2 : 0);
  // The least needed first; a name is cut last, and only if it is wider than the terminal.
  if (needed() > width) columns.strip = 24;
  if (needed() > width) columns.hasCost = false;
  if (needed() > width) columns.hasActivity = false;
  if (needed() > width) columns.strip = 0;
  if (needed() > width) columns.state = Math.max(5, columns.state - (needed() - width));
  return columns;
}

const stateText = ({ state, cause, ended_at }: SessionView): string =>
  cause ? `${state}/${sanitize(cause, 40)}` : state === "idle" && ended_at !== null ? "ended" : state;

function listLines(model: TopModel, width: number, room: number, now: number): string[] {
  const rows = listRows(model);
  if (rows.length === 0) return ["", ...emptyText(model).flatMap((line) => foldLine(line, width))];
  const agents = rows.flatMap((row) => (row.kind === "agent" ? [row.agent] : []));
  const columns = columnsFor(agents, width);
  const at = selectedRow(model, rows);
  const blocks = rows.map((row, i) => rowLines(row, i === at, columns, model, width, now));
  return [headLine(columns), ...windowOf(blocks, at, room)];
}

function emptyText({ filter, group }: TopModel): string[] {
  if (filter !== "") return [`No agent matches "${clean(filter)}". Esc clears the filter.`];
  if (group !== 0) return [`No agents in this group. 0 shows all.`];
  return ["No agents. Start one with `rouse run -- claude`, or adopt running ones with `rouse watch`."];
}

/** As many blocks as fit, with the selected one among them. */
function windowOf(blocks: readonly (readonly string[])[], at: number, room: number): string[] {
  const all = blocks.flat();
  if (all.length <= room) return all;
  const before = blocks.slice(0, at).flat().length;
  const height = blocks[at]?.length ?? 1;
  // The selection is in the middle, except near the ends.
  const first = Math.min(all.length - room, Math.max(0, before + Math.ceil(height / 2) - Math.floor(room / 2)));
  return all.slice(first, first + room);
}

function headLine(columns: Columns): string {
  const parts = [
    `${" ".repeat(MARK)}${"NAME".padEnd(columns.name)}`,
    "STATE".padEnd(columns.state),
    "FOR".padStart(AGE),
    ...(columns.hasActivity ? ["ACTIVE".padStart(AGE)] : []),
    ...(columns.hasCost ? ["COST".padStart(7)] : []),
    ...(columns.strip > 0 ? ["LAST 24 H"] : []),
  ];
  return parts.join("  ");
}

function rowLines(
  row: ListRow,
  isSelected: boolean,
  columns: Columns,
  model: TopModel,
  width: number,
  now: number,
): string[] {
  const mark = isSelected ? "> " : "  ";
  if (row.kind === "healthy") return [`${mark}${healthyText(row.agents)} (Enter shows them)`];
  const { agent, group } = row;
  const { isColoured } = model;
  const state = fitTo(stateText(agent), columns.state);
  const shownState =
    stateText(agent).startsWith(agent.state) && textWidth(stateText(agent)) <= columns.state
      ? state.replace(agent.state, paintState(agent.state, 0, isColoured))
      : state;
  const name = fitTo(clean(agent.name), columns.name);
  const line = [
    `${mark}${isSelected ? paintText(name, "bold", isColoured) : name}`,
    shownState,
    ageText(agent.since, now),
    ...(columns.hasActivity ? [ageText(agent.last_activity, now)] : []),
    ...(columns.hasCost ? [(agent.cost_usd_24h === null ? "–" : `$${agent.cost_usd_24h.toFixed(2)}`).padStart(7)] : []),
    ...(columns.strip > 0 ? [stripText(model.strips.get(agent.name) ?? [], columns.strip, isColoured)] : []),
  ].join("  ");
  const taken = model.handled.get(agent.name);
  const reason = `${taken !== undefined && group === 4 ? `${clean(taken)}. ` : ""}${reasonText(agent)}`;
  if (reason === "" || (group === HEALTHY_GROUP && !isSelected)) return [line];
  return [line, ...reasonLines(reason, width, isSelected, isColoured)];
}

const ageText = (iso: string, now: number): string => formatDuration(Math.max(0, now - Date.parse(iso))).padStart(AGE);

/** The selected agent shows more of it; Enter shows all. */
function reasonLines(reason: string, width: number, isSelected: boolean, isColoured: boolean): string[] {
  const max = isSelected ? 3 : 1;
  const indent = " ".repeat(width < 40 ? 2 : 4);
  const folded = wrapText(reason, Math.max(1, width - indent.length)).map((line) => indent + line);
  const shown = folded.slice(0, max);
  if (folded.length > max)
    shown[max - 1] = fitTo(
      `${(shown[max - 1] ?? "").trimEnd()} …`,
      Math.min(width, textWidth(shown[max - 1] ?? "") + 2),
    );
  return shown.map((line) => (isSelected ? line : paintText(line, "dim", isColoured)));
}

/** A question is quoted: it is the agent's text. */
function reasonText(agent: SessionView): string {
  if (agent.question !== null && agent.question !== "") return `"${clean(agent.question)}"`;
  return clean(
    agent.state === "working" || agent.state === "waiting"
      ? agent.doing || (agent.reasons[0] ?? "")
      : (agent.reasons[0] ?? agent.doing),
  );
}

function healthyText(agents: readonly SessionView[]): string {
  const counts = new Map<string, number>();
  for (const agent of agents)
    counts.set(stateText(agent).split("/")[0] ?? "", (counts.get(stateText(agent).split("/")[0] ?? "") ?? 0) + 1);
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([state, count]) => `${count} ${state}`);
  return `${agents.length} healthy: ${parts.join(", ")}`;
}

/** A sign per state: colour alone says nothing. `?` explains them. */
export const STRIP_SIGNS: Readonly<Record<State, string>> = {
  starting: "▁",
  idle: "▁",
  complete: "▁",
  waiting: "▃",
  working: "▅",
  needs_input: "?",
  rate_limited: "~",
  stuck: "!",
  error: "!",
  gone: "x",
  unknown: "·",
};

function stripText(states: readonly (State | null)[], width: number, isColoured: boolean): string {
  const perSlot = Math.max(1, Math.floor(states.length / width));
  const slots: (State | null)[] = [];
  for (let at = 0; at < states.length; at += perSlot) slots.push(worst(states.slice(at, at + perSlot)));
  const shown = slots.slice(-width);
  const signs = shown.map((state) =>
    state === null ? " " : paintState(state, 0, isColoured).replace(state, STRIP_SIGNS[state]),
  );
  return " ".repeat(width - shown.length) + signs.join("");
}

const GRAVE: readonly State[] = ["gone", "error", "stuck", "needs_input", "rate_limited"];

const worst = (states: readonly (State | null)[]): State | null =>
  GRAVE.find((state) => states.includes(state)) ?? states.findLast((state) => state !== null) ?? null;

function pageLines({ page }: TopModel, width: number, room: number): string[] {
  const folded = foldedPage(page?.lines ?? [], width);
  const first = firstLine(folded.length, page?.offset ?? 0, room);
  return folded.slice(first, first + room + 1);
}

const foldedPage = (lines: readonly string[], width: number): string[] =>
  lines.flatMap((line) => foldLine(sanitizeLine(line.slice(0, PAGE_LINE_MAX)), width, 2));
const PAGE_LINE_MAX = 4000;

/** Offsets count from the first line; negative ones from the end. */
const firstLine = (length: number, offset: number, room: number): number =>
  Math.max(0, Math.min(length - room - 1, offset < 0 ? length + offset : offset));

/** The offset after moving by some lines, within the page. */
export function scrolledOffset({ page }: TopModel, by: number, { width, height }: FrameSize): number {
  const room = Math.max(0, height - FIXED_ROWS);
  const length = foldedPage(page?.lines ?? [], width).length;
  return firstLine(length, firstLine(length, page?.offset ?? 0, room) + by, room);
}

function statusLine({ input, notice, goneAt, filter, isColoured }: TopModel, width: number, now: number): string {
  if (input)
    return paintText(inputText(`${clean(input.label)} ${sanitizeLine(input.text)}`, width), "bold", isColoured);
  if (goneAt !== null)
    return paintText(
      `The daemon has not answered for ${formatDuration(now - goneAt)}; this is its last answer.`,
      "red",
      isColoured,
    );
  if (notice && now - notice.at < NOTICE_MS) {
    const text = `${clean(notice.text)} (${formatAgo(now - notice.at)})`;
    return notice.isBad ? paintText(text, "yellow", isColoured) : text;
  }
  return filter === "" ? "" : `filter: ${clean(filter)} (Esc clears it)`;
}

/** The end of a long line, where the user types. */
function inputText(text: string, width: number): string {
  const letters = Array.from(`${text}_`);
  while (letters.length > 1 && textWidth(letters.join("")) > width) letters.shift();
  return letters.join("");
}

function hintLine({ input, page }: TopModel, width: number): string {
  if (input?.kind === "recover") return fitTo("y recover  n cancel", width).trimEnd();
  if (input) return fitTo("Enter confirm  Esc cancel", width).trimEnd();
  const hints = KEYS.filter(
    ({ hint, action }) => hint !== undefined && (!page || !["next", "filter", "order"].includes(action)),
  );
  // Help and the end must be found in every terminal.
  const isLast = ({ action }: (typeof hints)[number]): boolean => action === "help" || action === "quit";
  const textOf = ({ shown, hint }: (typeof hints)[number]): string => `${shown} ${hint}`;
  const ends = hints.filter(isLast).map(textOf);
  const parts = page ? ["Esc back"] : [];
  for (const hint of hints.filter((one) => !isLast(one)))
    if (textWidth([...parts, textOf(hint), ...ends].join("  ")) <= width) parts.push(textOf(hint));
  const line = [...parts, ...ends].join("  ");
  return line;
}
