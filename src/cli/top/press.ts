/** What a key does: a pure function of the model, and what is to be done outside of it. */
import { SORT_NAMES } from "../sort-agents.js";
import { type FrameSize, scrolledOffset } from "./frame.js";
import { helpPage } from "./help-page.js";
import { actionOf, type TopAction, type Typed } from "./keys.js";
import {
  type GroupNumber,
  HEALTHY_GROUP,
  type Input,
  listRows,
  moveSelection,
  selectedAgent,
  selectedRow,
  selectNext,
  type TopModel,
} from "./model.js";

/** What needs the daemon, the terminal or the process. */
export type Wish =
  | { do: "quit"; code: number }
  | { do: "suspend" | "redraw" }
  | { do: "why" | "logs" | "go" | "attach" | "ack" | "ask_answer" | "ask_recover" | "recover"; agent: string }
  | { do: "silence" | "answer"; agent: string; text: string };

export interface Pressed {
  model: TopModel;
  wish: Wish | null;
}

const PROCESS_KEYS: ReadonlyMap<string, Wish> = new Map<string, Wish>([
  ["ctrl-c", { do: "quit", code: 130 }],
  ["ctrl-z", { do: "suspend" }],
  ["ctrl-l", { do: "redraw" }],
]);

export function press(model: TopModel, typed: Typed, size: FrameSize, now: number): Pressed {
  const key = "key" in typed ? typed.key : null;
  const wish = key === null ? undefined : PROCESS_KEYS.get(key);
  if (wish) return { model, wish };
  if (model.input) return typeInto(model, model.input, typed);
  const action = key === null ? null : actionOf(key);
  if (key === null || action === null) return { model, wish: null };
  const moved = MOVES[action]?.(model, size, key);
  if (moved) return { model: moved, wish: null };
  return act(model, action, now);
}

const page = ({ height }: FrameSize): number => Math.max(1, height - 6);
const END = 1_000_000;

const move = (model: TopModel, by: number, size: FrameSize): TopModel =>
  model.page === null
    ? moveSelection(model, by)
    : { ...model, page: { ...model.page, offset: scrolledOffset(model, by, size) } };

/** Actions that change the view alone. */
const MOVES: Readonly<Partial<Record<TopAction, (model: TopModel, size: FrameSize, key: string) => TopModel>>> = {
  down: (model, size) => move(model, 1, size),
  up: (model, size) => move(model, -1, size),
  page_down: (model, size) => move(model, page(size), size),
  page_up: (model, size) => move(model, -page(size), size),
  first: (model, size) => move(model, -END, size),
  last: (model, size) => move(model, END, size),
  help: (model) => ({ ...model, page: helpPage() }),
  back: (model) => (model.page === null ? { ...model, filter: "", group: 0, notice: null } : { ...model, page: null }),
  filter: (model) => ({
    ...model,
    page: null,
    input: { kind: "filter", label: "Filter:", text: model.filter, about: "" },
  }),
  order: (model) => ({
    ...model,
    order: SORT_NAMES[(SORT_NAMES.indexOf(model.order) + 1) % SORT_NAMES.length] ?? "move",
  }),
  group: (model, _, key) => ({ ...model, page: null, filter: "", group: Number(key) as GroupNumber, selected: null }),
};

const note = (model: TopModel, text: string, now: number): Pressed => ({
  model: { ...model, notice: { text, isBad: false, at: now } },
  wish: null,
});

/** Actions on the selected agent. */
function act(model: TopModel, action: TopAction, now: number): Pressed {
  if (action === "quit") return { model, wish: { do: "quit", code: 0 } };
  if (action === "next") {
    const next = selectNext(model);
    return next === null ? note(model, "No agent needs you.", now) : { model: next, wish: null };
  }
  const rows = listRows(model);
  const isHealthyLine = model.page === null && rows[selectedRow(model, rows)]?.kind === "healthy";
  if (action === "why" && isHealthyLine)
    return { model: { ...model, group: HEALTHY_GROUP, selected: null }, wish: null };
  const agent = selectedAgent(model)?.name;
  if (agent === undefined) return note(model, "Select an agent first.", now);
  switch (action) {
    case "silence":
      return {
        model: { ...model, input: { kind: "silence", label: `Silence ${agent} for:`, text: "2h", about: agent } },
        wish: null,
      };
    case "answer":
      return { model, wish: { do: "ask_answer", agent } };
    case "recover":
      return { model, wish: { do: "ask_recover", agent } };
    case "why":
    case "logs":
    case "go":
    case "attach":
    case "ack":
      return { model, wish: { do: action, agent } };
    default:
      return { model, wish: null };
  }
}

/** A key or pasted text while the user types a line or is asked. */
function typeInto(model: TopModel, input: Input, typed: Typed): Pressed {
  const key = "key" in typed ? typed.key : null;
  const closed: TopModel = { ...model, input: null };
  if (key === "esc" || (input.kind === "recover" && key === "n"))
    return { model: input.kind === "filter" ? { ...closed, filter: "" } : closed, wish: null };
  // Only the key itself: neither Enter nor pasted text starts a recovery.
  if (input.kind === "recover")
    return key === "y" ? { model: closed, wish: { do: "recover", agent: input.about } } : { model, wish: null };
  if (key === "enter") return { model: closed, wish: wishOf(input) };
  const text = editedText(input.text, typed);
  return {
    model: { ...model, ...(input.kind === "filter" ? { filter: text } : {}), input: { ...input, text } },
    wish: null,
  };
}

function wishOf({ kind, about: agent, text }: Input): Wish | null {
  if (text.trim() === "" || (kind !== "silence" && kind !== "answer")) return null;
  return { do: kind, agent, text: text.trim() };
}

const TYPED_MAX = 10_000;

function editedText(text: string, typed: Typed): string {
  if ("pasted" in typed) return (text + typed.pasted.replace(/\s+/g, " ")).slice(0, TYPED_MAX);
  if (typed.key === "backspace") return Array.from(text).slice(0, -1).join("");
  if (typed.key === "ctrl-u") return "";
  return Array.from(typed.key).length === 1 ? (text + typed.key).slice(0, TYPED_MAX) : text;
}
