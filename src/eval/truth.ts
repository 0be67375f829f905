/**
 * Parses the truth of labelled files. An invalid label gives null, and the caller counts it: it never stops the scoring
 * of the others.
 */
import * as z from "zod";
import type { EventTruth } from "./events.js";
import type { LiveTruth } from "./live.js";
import type { ResetTruth } from "./reset-times.js";
import type { SegmentTruth } from "./sessions.js";

const instant = z.string().transform((text, context) => {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) context.addIssue({ code: "custom", message: "no time" });
  return ms;
});

const liveMeta = z
  .object({ agent: z.string(), t_end: z.number(), timeline: z.array(z.tuple([z.number(), z.string()])).nullish() })
  .transform(({ agent, t_end, timeline }): LiveTruth => ({ agent, end: t_end, timeline: timeline ?? [] }));

const eventRow = z
  .object({
    id: z.string(),
    family: z.string(),
    nature: z.string(),
    expect: z.enum(["loop", "not_loop"]),
    eval: z.enum(["any", "end"]),
  })
  .transform(({ eval: judge, ...rest }): EventTruth => ({ ...rest, judge }));

const resetRow = z
  .object({ id: z.string(), text: z.string(), now: instant, tz: z.string().nullish(), until: z.string().nullish() })
  .transform(({ tz, until, ...rest }): ResetTruth => ({ ...rest, zone: tz ?? null, until: until || null }));

const segmentRow = z
  .object({ file: z.string(), label: z.string(), start: instant, end: instant, max_doing: z.string().nullish() })
  .transform(({ max_doing, ...rest }): SegmentTruth => ({ ...rest, doing: max_doing ?? "" }));

/** From a live case's `meta.json`. */
export function parseLiveTruth(meta: unknown): LiveTruth | null {
  return liveMeta.safeParse(meta).data ?? null;
}

/** From a line of `peer_cases.jsonl`. */
export function parseEventTruth(row: unknown): EventTruth | null {
  return eventRow.safeParse(row).data ?? null;
}

/** From a line of `screens.jsonl`. */
export function parseResetTruth(row: unknown): ResetTruth | null {
  return resetRow.safeParse(row).data ?? null;
}

/** From a line of `segments.jsonl`. */
export function parseSegmentTruth(row: unknown): SegmentTruth | null {
  return segmentRow.safeParse(row).data ?? null;
}
