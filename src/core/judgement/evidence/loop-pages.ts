/** The lines of each file that were read since the last change: paging in circles makes distinct calls. */
import { rememberBounded } from "./bounded.js";

export interface LineSpan {
  from: number;
  to: number;
}
/** Per subject, disjoint and in order. */
export type Pages = Map<string, LineSpan[]>;

const SUBJECTS_MAX = 64;
const SPANS_MAX = 64;

/** Whether every line of the span was read before; marks it as read. */
export function isReadAgain(pages: Pages, subject: string, span: LineSpan): boolean {
  const spans = pages.get(subject) ?? [];
  if (spans.some((known) => known.from <= span.from && span.to <= known.to)) return true;
  if (span.from < span.to) rememberBounded(pages, subject, merge(spans, span), SUBJECTS_MAX);
  return false;
}

function merge(spans: LineSpan[], added: LineSpan): LineSpan[] {
  const merged: LineSpan[] = [];
  for (const span of [...spans, added].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged.slice(-SPANS_MAX);
}
