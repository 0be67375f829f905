/**
 * How an agent's last message closes: with a question to the human, with an offer after finished work, with an
 * announced next step that never came, or with a result.
 *
 * A question mistaken for a result loses the night; a courtesy mistaken for a question is a false alarm. So a question
 * is real unless its wording is a courtesy *and* the message reports finished work. Permission to continue,
 * alternatives and irreversible steps stay questions after any report. Code and quotations never count.
 */
import * as words from "./closing-words.js";

export type ClosingKind = "question" | "offer" | "promise" | "result";

/** Characters that are read: of the message for its report, and of its end for the closing itself. */
const MESSAGE_MAX = 200_000;
const REPORT_MAX = 4000;
const CLOSING_MAX = 1500;
const SENTENCE_MAX = 400;
/** How many sentences may follow a question ("A is faster. B is safer.") or a promise that closes the text. */
const AFTER_QUESTION_MAX = 3;
const AFTER_PROMISE_MAX = 1;
const ITEMS_MAX = 16;

interface Sentence {
  text: string;
  /** An item of a list: an option, a step, a finding. */
  item: boolean;
}

/** `closingOf("Fixed the bug. Which branch should I use?")` is "question". */
export function closingOf(text: string): ClosingKind {
  const prose = proseOf(text).slice(-REPORT_MAX);
  const sentences = sentencesOf(prose.slice(-CLOSING_MAX));
  // Computed lazily: only offers and questions need it, and most messages close with neither.
  let report: boolean | null = null;
  const isReport = (): boolean => {
    report ??= reportsFinishedWork(prose);
    return report;
  };
  let statements = 0;
  let items = 0;
  let offered = false;
  for (let i = sentences.length - 1; i >= 0; i--) {
    const { text: sentence, item } = sentences[i] as Sentence;
    const isLast = statements === 0 && !offered;
    switch (kindOf(sentence, isReport, isLast && (items === 0 || item), !item && items > 1)) {
      case "question":
        return "question";
      case "offer":
        offered = true;
        continue;
      case "promise":
        if (!item && !offered && statements <= AFTER_PROMISE_MAX && !(statements > 0 && words.SPEECH.test(sentence)))
          return "promise";
    }
    if (item) items++;
    else statements++;
    if (statements > AFTER_QUESTION_MAX || items > ITEMS_MAX || finishes(sentence)) break;
  }
  return offered ? "offer" : "result";
}

function kindOf(sentence: string, isReport: () => boolean, isLast: boolean, hasOptions: boolean): ClosingKind {
  const asks = /[?？؟]["'”’)\]*_»]{0,3}$/.test(sentence);
  if (words.OFFERS.test(sentence) && !choosesBetween(sentence)) {
    return /\b(?:let|tell) me\b/i.test(sentence) && holdsBack(sentence) && !isReport() ? "question" : "offer";
  }
  if (words.ASKS.test(sentence)) return "question";
  if (asks) {
    if (!isLast && (!words.ADDRESSED.test(sentence) || words.RHETORICAL.test(sentence))) return "result";
    if (!words.COURTESY_QUESTIONS.test(sentence)) return "question";
    if (words.GO_ON.test(sentence) || words.RISKY.test(sentence)) return "question";
    if (words.EXTRA.test(sentence) && !/^what\b/i.test(sentence)) return "offer";
    return !hasOptions && !words.ALTERNATIVES.test(sentence) && isReport() ? "offer" : "question";
  }
  if (words.OPINION.test(sentence)) return isReport() ? "offer" : "question";
  return promises(sentence) ? "promise" : "result";
}

/** "Let me know if I should go ahead": the work itself has not started. */
function holdsBack(sentence: string): boolean {
  return words.GO_ON.test(sentence) || /\bbefore (?:I|we)\b/i.test(sentence);
}

function choosesBetween(sentence: string): boolean {
  return /\b(?:which|A or B|[12] or [23])\b/i.test(sentence);
}

function promises(sentence: string): boolean {
  if (words.NOT_PROMISES.test(sentence)) return false;
  if (words.PROMISES.test(sentence)) return true;
  return words.GERUND_PROMISE.test(sentence) && !words.GERUND_SUBJECT.test(sentence);
}

function finishes(sentence: string): boolean {
  return words.FINISHED.test(sentence) && !words.UNFINISHED.test(sentence);
}

function reportsFinishedWork(prose: string): boolean {
  return sentencesOf(prose).some(({ text }) => !/[?？]$/.test(text) && !promises(text) && finishes(text));
}

/** The text without fenced code, block quotations, inline code and quoted words. */
function proseOf(text: string): string {
  const kept: string[] = [];
  for (const line of outsideFences(text.slice(-MESSAGE_MAX))) {
    if (/^\s{0,3}>/.test(line) || /^\s{0,3}\|/.test(line)) continue;
    kept.push(
      line
        .replace(/`[^`]{0,300}`/g, "‹code›")
        .replace(/"[^"]{1,300}"|“[^”]{1,300}”|«[^»]{1,300}»|「[^」]{1,300}」/g, "‹quote›")
        .replace(/[*_]{2,3}|^\s{0,3}#{1,6}\s/g, ""),
    );
  }
  return kept.join("\n");
}

/**
 * The lines outside fenced code. A bare fence without a closing one is the end of a block whose start was cut off, so
 * prose follows it. A fence with a language starts a block that the message does not finish.
 */
function outsideFences(text: string): string[] {
  let fence = "";
  let isBare = false;
  let inside: string[] = [];
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    const mark = /^\s{0,8}(```|~~~)/.exec(line)?.[1] ?? "";
    if (mark !== "" && (fence === "" || fence === mark)) {
      isBare = line.trim() === mark;
      fence = fence === "" ? mark : "";
      inside = [];
    } else (fence === "" ? kept : inside).push(line);
  }
  return fence !== "" && isBare ? kept.concat(inside) : kept;
}

const ITEM = /^\s{0,12}(?:[-*•–▪]|\(?[0-9]{1,2}[.):]|\(?[A-Za-z][.)]|\[[A-Z0-9]{1,3}\])\s/;
const SENTENCE_END = /(?<=[.!?؟…][)"'*_\]]{0,3})(?<!\b(?:e\.g|i\.e|vs|etc|cf)\.)\s+|(?<=[。！？])/;

function sentencesOf(prose: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of prose.split("\n")) {
    const item = ITEM.test(line);
    for (const part of line.replace(ITEM, "").split(SENTENCE_END)) {
      const text = part.trim().slice(-SENTENCE_MAX).replace(/’/g, "'").replace(/[‐‑]/g, "-");
      if (/\p{L}/u.test(text)) sentences.push({ text, item });
    }
  }
  return sentences;
}

/** A sentence about the marker: "I will print <marker> when all tests pass". */
const TALKS_ABOUT = /\b(?:when|once|until|if|output|emit|print|say|write|include|not|never|before|only|will)\b/i;

/** Whether the text states the completion marker: outside code, quotations and sentences about it. */
export function hasMarker(text: string, marker: string): boolean {
  if (marker === "") return false;
  return outsideFences(text.slice(-MESSAGE_MAX)).some((line) => {
    const at = line.indexOf(marker);
    if (at < 0 || /^\s{0,3}>/.test(line)) return false;
    const before = line.slice(0, at).split(SENTENCE_END).at(-1) ?? "";
    const after = line.slice(at + marker.length);
    return !/[`"'“‘]\s?$/.test(before) && !/^\s?[`"'”’]/.test(after) && !TALKS_ABOUT.test(before);
  });
}
