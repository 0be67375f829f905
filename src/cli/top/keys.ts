/** The keys of `rouse top`: this table decides what they do, and help and documentation print it. */

export type TopAction =
  | "down"
  | "up"
  | "page_down"
  | "page_up"
  | "first"
  | "last"
  | "why"
  | "back"
  | "go"
  | "attach"
  | "logs"
  | "answer"
  | "silence"
  | "ack"
  | "recover"
  | "next"
  | "filter"
  | "order"
  | "group"
  | "help"
  | "quit";

export interface KeyRow {
  /** Names as `readKeys` gives them. */
  keys: readonly string[];
  /** As the user sees them. */
  shown: string;
  action: TopAction;
  does: string;
  /** One word for the line at the bottom; the line shows as many as fit, in this order. */
  hint?: string;
}

export const KEYS: readonly KeyRow[] = [
  {
    keys: ["enter"],
    shown: "Enter",
    action: "why",
    does: "Explain the state, or show the healthy agents",
    hint: "why",
  },
  { keys: ["g"], shown: "g", action: "go", does: "Go to the agent's terminal, as `rouse go`", hint: "go" },
  {
    keys: ["t"],
    shown: "t",
    action: "answer",
    does: "Answer its question, as `rouse type`; never a permission",
    hint: "type",
  },
  { keys: ["n"], shown: "n", action: "next", does: "Select the next agent that needs you", hint: "next" },
  { keys: ["l"], shown: "l", action: "logs", does: "Show its recent output", hint: "logs" },
  { keys: ["x"], shown: "x", action: "ack", does: "Acknowledge its incident", hint: "ack" },
  { keys: ["s"], shown: "s", action: "silence", does: "Silence it for a while", hint: "silence" },
  { keys: ["r"], shown: "r", action: "recover", does: "Recover it; shows the step and asks first", hint: "recover" },
  { keys: ["a"], shown: "a", action: "attach", does: "Open its terminal here; Ctrl-\\ returns", hint: "attach" },
  { keys: ["/"], shown: "/", action: "filter", does: "Filter by name, kind, state, tag or task", hint: "filter" },
  {
    keys: ["o"],
    shown: "o",
    action: "order",
    does: "Change the order: move, name, age, activity, tokens, cost",
    hint: "order",
  },
  {
    keys: ["0", "1", "2", "3", "4", "5"],
    shown: "0-5",
    action: "group",
    does: "Show all agents, or the group with this number",
  },
  { keys: ["?"], shown: "?", action: "help", does: "Show the keys", hint: "help" },
  { keys: ["q", "ctrl-c"], shown: "q", action: "quit", does: "Quit", hint: "quit" },
  { keys: ["esc", "backspace", "left"], shown: "Esc", action: "back", does: "Go back; clear the filter" },
  { keys: ["down", "j"], shown: "j, down", action: "down", does: "Next line" },
  { keys: ["up", "k"], shown: "k, up", action: "up", does: "Previous line" },
  { keys: ["pagedown", " "], shown: "PgDn", action: "page_down", does: "Next page" },
  { keys: ["pageup"], shown: "PgUp", action: "page_up", does: "Previous page" },
  { keys: ["home"], shown: "Home", action: "first", does: "First line" },
  { keys: ["end"], shown: "End", action: "last", does: "Last line" },
];

export const actionOf = (key: string): TopAction | null => KEYS.find(({ keys }) => keys.includes(key))?.action ?? null;

/** A key by its name, or pasted text, which is never taken for keys. */
export type Typed = { key: string } | { pasted: string };

const SEQUENCES: ReadonlyMap<string, string> = new Map([
  ["[A", "up"],
  ["[B", "down"],
  ["[C", "right"],
  ["[D", "left"],
  ["OA", "up"],
  ["OB", "down"],
  ["OC", "right"],
  ["OD", "left"],
  ["[H", "home"],
  ["[F", "end"],
  ["OH", "home"],
  ["OF", "end"],
  ["[1~", "home"],
  ["[4~", "end"],
  ["[5~", "pageup"],
  ["[6~", "pagedown"],
]);
const NAMED: ReadonlyMap<string, string> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u007f", "backspace"],
  ["\b", "backspace"],
  ["\u0003", "ctrl-c"],
  ["\u000c", "ctrl-l"],
  ["\u001a", "ctrl-z"],
  ["\u0015", "ctrl-u"],
]);
const PASTE = /^\u001b\[200~([\s\S]*?)(?:\u001b\[201~|$)/;
const ESCAPE = /^\u001b((?:\[[0-9;?<>=]*[ -/]*[@-~])|O[A-Z])/;

/** The keys of one read. Unknown sequences are dropped. */
export function readKeys(text: string): Typed[] {
  const typed: Typed[] = [];
  let rest = text;
  while (rest !== "") {
    const paste = PASTE.exec(rest);
    const sequence = paste ? null : ESCAPE.exec(rest);
    if (paste) typed.push({ pasted: paste[1] ?? "" });
    else if (sequence) {
      const key = SEQUENCES.get(sequence[1] ?? "");
      if (key !== undefined) typed.push({ key });
    } else if (rest.startsWith("\u001b")) typed.push({ key: "esc" });
    else {
      const letter = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      const key = NAMED.get(letter) ?? (letter >= " " ? letter : null);
      if (key !== null) typed.push({ key });
      rest = rest.slice(letter.length);
      continue;
    }
    rest = rest.slice(paste?.[0].length ?? sequence?.[0].length ?? 1);
  }
  return typed;
}
