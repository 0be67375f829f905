/** Is a prompt open? Several sources see a dialog; each opens and closes its own view of it. */

import type { Signal, Source } from "../../signal.js";
import type { PromptKind } from "../../states.js";
import { PLAIN_TRAITS, type Traits } from "../../traits.js";
import { closingOf } from "../closing.js";
import { type Asking, askingOf } from "../terminal-question.js";

export interface OpenPrompt {
  prompt: PromptKind;
  question: string;
  at: number;
  source: Source;
  /** The dialog of a usage limit: the state is `rate_limited`, with a prompt open. */
  limit: boolean;
  /** Of a limit: it stays until a user answers it. */
  userOnly?: true;
}

export interface PromptsEvidence {
  open: Partial<Record<Source, OpenPrompt>>;
  /** Calls of question and plan tools without an answer yet, by id. */
  asked: Map<string, OpenPrompt>;
  closedAt: number | null;
  /** When the screen last showed a dialog. */
  drawnAt: number | null;
  /** A prompt was open when the process ended. */
  leftOpen: boolean;
  /** The screen shows the program as busy with a running tool and no dialog. */
  showsTool: boolean;
  /** The last row printed by a running tool, if it may be a question, and since when it is the last one. */
  toolAsks: { text: string; asking: Asking | null; at: number } | null;
  /** Trait of the program. */
  titleReportsQuietTool: boolean;
}

const ASKED_MAX = 8;

export function createPrompts({
  titleReportsQuietTool = false,
}: Pick<Traits, "titleReportsQuietTool"> = PLAIN_TRAITS): PromptsEvidence {
  return {
    open: {},
    asked: new Map(),
    closedAt: null,
    drawnAt: null,
    leftOpen: false,
    showsTool: false,
    toolAsks: null,
    titleReportsQuietTool,
  };
}

export function takePrompts(prompts: PromptsEvidence, signal: Signal): void {
  switch (signal.kind) {
    case "status":
      if (signal.status === "blocked")
        open(
          prompts,
          signal.source,
          signal.at,
          signal.prompt ?? "confirmation",
          signal.text ?? prompts.toolAsks?.text ?? "",
        );
      else close(prompts, signal.source, signal.at);
      return;
    case "prompt":
      if (signal.open) open(prompts, signal.source, signal.at, signal.prompt ?? "confirmation", signal.question);
      else close(prompts, signal.source, signal.at);
      return;
    case "screen": {
      const { dialog, busy, tool, tail } = signal.reading;
      prompts.showsTool = busy === true && tool !== undefined && !dialog;
      takeToolQuestion(prompts, prompts.showsTool ? (tail?.at(-1) ?? "") : "", signal.at);
      if (dialog) {
        prompts.drawnAt = signal.at;
        open(prompts, "screen", signal.at, dialog.prompt, dialog.question, dialog.limit);
        if (dialog.userOnly && prompts.open.screen) prompts.open.screen.userOnly = true;
      } else {
        close(prompts, "screen", signal.at);
        // The composer is visible again: a prompt from a source without close events has been answered.
        if (signal.reading.composer !== "hidden" && !isUndrawn(prompts, signal.at)) close(prompts, "hook", signal.at);
      }
      return;
    }
    case "tool_start": {
      if (signal.class !== "question" && signal.class !== "plan") return;
      const prompt: PromptKind = signal.class === "plan" ? "plan" : "input";
      prompts.asked.set(signal.id, {
        prompt,
        question: signal.subject ?? "",
        at: signal.at,
        source: signal.source,
        limit: false,
      });
      if (prompts.asked.size > ASKED_MAX) prompts.asked.delete(prompts.asked.keys().next().value as string);
      return;
    }
    case "tool_end":
      if (prompts.asked.delete(signal.id)) prompts.closedAt = signal.at;
      return;
    case "turn":
      prompts.asked.clear();
      close(prompts, "hook", signal.at);
      close(prompts, signal.source, signal.at);
      return;
    case "exit":
      prompts.leftOpen = openPrompt(prompts) !== null;
      prompts.open = {};
      prompts.asked.clear();
      return;
    default:
      return;
  }
}

function open(
  prompts: PromptsEvidence,
  source: Source,
  at: number,
  prompt: PromptKind,
  question = "",
  limit = false,
): void {
  const known = prompts.open[source];
  prompts.open[source] = { prompt, question: question || (known?.question ?? ""), at: known?.at ?? at, source, limit };
}

function takeToolQuestion(prompts: PromptsEvidence, text: string, at: number): void {
  if (prompts.toolAsks?.text === text) return;
  const asking = askingOf(text);
  prompts.toolAsks = asking !== null || (text !== "" && closingOf(text) === "question") ? { text, asking, at } : null;
}

/** A hook fires before its dialog is drawn, and two checks have to agree on the dialog. */
const DRAWN_MS = 4000;
function isUndrawn({ open: { hook }, drawnAt }: PromptsEvidence, at: number): boolean {
  return hook !== undefined && (drawnAt ?? Number.NEGATIVE_INFINITY) < hook.at && at - hook.at < DRAWN_MS;
}

function close(prompts: PromptsEvidence, source: Source, at: number): void {
  if (!prompts.open[source]) return;
  delete prompts.open[source];
  prompts.closedAt = at;
}

/**
 * Sources with the question text come first: the screen and the hooks have it, a title only shows that a prompt exists.
 * If a quiet tool changes the title too, a prompt is likely only if the text that the tool printed is a question.
 */
const ORDER: readonly Source[] = ["screen", "hook", "stream", "program_status", "session_file", "title", "transcript"];

export function openPrompt(prompts: PromptsEvidence): OpenPrompt | null {
  for (const source of ORDER) {
    const found = prompts.open[source];
    if (found && !(source === "title" && mayMeanQuietTool(prompts))) return found;
  }
  return prompts.asked.values().next().value ?? null;
}

const mayMeanQuietTool = ({ titleReportsQuietTool, showsTool, toolAsks }: PromptsEvidence): boolean =>
  titleReportsQuietTool && showsTool && toolAsks === null;
