/**
 * A message is read by a model that pays for every word: besides its preview it has at most 600 characters as JSON.
 * What a receiver can ask for later is left out first: further reasons, then suggestions, then the ends of long texts.
 */
import type { CommonPayload } from "./message.js";

export const MESSAGE_CHARS_MAX = 600;

/** Quoted output, question or result; bounded by itself. */
const PREVIEWS = ["last_output_preview", "output_tail", "prompt_preview", "completion_message"] as const;

type Fields = CommonPayload & { error_context?: string; reason?: string; done?: string[] };

/** Each makes the message shorter; the next one is tried if it is still too long. */
const STEPS: readonly ((fields: Fields) => Fields)[] = [
  (fields) => ({ ...fields, reasons: fields.reasons.slice(0, 2) }),
  without("why"),
  (fields) => ({ ...fields, reasons: fields.reasons.slice(0, 1) }),
  (fields) => (fields.done ? { ...fields, done: fields.done.slice(-3) } : fields),
  (fields) => cut(fields, 160),
  without("close_pane"),
  // The preview shows what it would return.
  without("read_pane"),
  (fields) => cut(fields, 100, 160),
  withFirst(1),
  // The first reason of an error quotes the error, which has a field of its own.
  (fields) => cut(fields, 60, 160),
  (fields) => cut(fields, 60, 100),
  (fields) => cut(fields, 60),
  (fields) => cut(fields, 20),
  withFirst(0),
];

export function fitMessage<T extends CommonPayload>(payload: T): T {
  let fitting: Fields = payload;
  for (const shorten of STEPS) {
    if (sizeOf(fitting) <= MESSAGE_CHARS_MAX) break;
    fitting = shorten(fitting);
  }
  return fitting as T;
}

/** The length of the message without its preview. */
export function sizeOf(payload: CommonPayload): number {
  const previews: ReadonlySet<string> = new Set(PREVIEWS);
  return JSON.stringify(payload, (key, value: unknown) => (previews.has(key) ? undefined : value)).length;
}

function withFirst(count: number): (fields: Fields) => Fields {
  return (fields) => ({ ...fields, suggested_actions: fields.suggested_actions.slice(0, count) });
}

/** Without this suggestion, if there is another one. */
function without(tool: string): (fields: Fields) => Fields {
  return (fields) => {
    const others = fields.suggested_actions.filter((one) => one.tool !== tool);
    return others.length === 0 ? fields : { ...fields, suggested_actions: others };
  };
}

/** Reasons may be cut shorter than the other texts. */
function cut(fields: Fields, reasonChars: number, chars = reasonChars): Fields {
  const upTo = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);
  const short = (text: string): string => upTo(text, chars);
  return {
    ...fields,
    task: fields.task === null ? null : short(fields.task),
    reasons: fields.reasons.map((reason) => upTo(reason, reasonChars)),
    ...(fields.error_context === undefined ? {} : { error_context: short(fields.error_context) }),
    ...(fields.reason === undefined ? {} : { reason: short(fields.reason) }),
    ...(fields.done ? { done: fields.done.map(short) } : {}),
  };
}
