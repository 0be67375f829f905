/**
 * Results of Codex tools. Each release wraps the text in another envelope: JSON with `metadata.exit_code` (to 0.5x), or
 * a head of lines ("Exit code: 1", "Wall time: 0.2 seconds", "Chunk ID: …") above "Output:".
 */
import { asRecord, booleanAt, numberAt, parseRecord, stringAt } from "../../../readers/records/json.js";
import { contentText, resultText } from "../../../readers/records/text.js";
import type { ToolResult } from "../../../readers/records/tool-calls.js";

const HEAD_MAX = 600;
const OUTPUT = /(?:^|\n)Output:\n?/;
const EXIT_CODE = /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d{1,10})/;
const EXIT_CODE_JSON = /"exit_code":\s?(-?\d{1,10})/;
const RUNS_ON = /(?:^|\n)Process running with session ID (\d{1,12})/;
const FAILED =
  /^(?:error|failed|execution error|exec_command failed|apply_patch verification failed|unsupported call|unknown tool|unable to|invalid|timed out|command timed out)/i;
const REFUSED = /rejected by (?:the )?user|denied by (?:the )?user/i;
const ABORTED = /aborted by (?:the )?user/i;

const WALL_TIME = /(?:^|\n)Wall time: (\d{1,7}(?:\.\d{1,9})?) seconds/;
const DURATION_JSON = /"duration_seconds":\s?(\d{1,7}(?:\.\d{1,9})?)/;

/** How long the command itself took. */
export function codexWallMs(output: unknown): number | undefined {
  const text = resultText(output);
  const found = WALL_TIME.exec(text.slice(0, HEAD_MAX)) ?? DURATION_JSON.exec(text.slice(-HEAD_MAX));
  return found === null ? undefined : Number(found[1]) * 1000;
}

/** The session that a command continues in. */
export function codexSession(output: unknown): string | undefined {
  return RUNS_ON.exec(resultText(output).slice(0, HEAD_MAX))?.[1];
}

export function codexResult(output: unknown): ToolResult & { background: boolean } {
  const text = resultText(output);
  const envelope = text.startsWith("{") ? parseRecord(text) : null;
  const top = text.slice(0, HEAD_MAX);
  const body = envelope === null ? withoutHead(text, top) : contentText(envelope);
  const code =
    numberAt(envelope, "metadata", "exit_code") ??
    codeIn(EXIT_CODE, top) ??
    // A truncated file may tear the JSON of the envelope; the code is near its end.
    (text.startsWith('{"output"') ? codeIn(EXIT_CODE_JSON, text.slice(-HEAD_MAX)) : undefined);
  const start = body.slice(0, HEAD_MAX);
  const success =
    asRecord(output) !== null && Object.hasOwn(output as object, "success") ? booleanAt(output, "success") : undefined;
  const refused = REFUSED.test(start);
  const interrupted = ABORTED.test(start);
  const ok = !refused && !interrupted && (code !== undefined ? code === 0 : (success ?? !FAILED.test(start)));
  return { ok, text, stable: body, refused, interrupted, background: RUNS_ON.test(top) };
}

/** The text after "Output:": the text above it differs in every run. */
function withoutHead(text: string, top: string): string {
  const found = OUTPUT.exec(top);
  return found === null ? text : text.slice(found.index + found[0].length);
}

function codeIn(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Codex's own reason for a failed turn: a word, or a record of one word with the status inside. */
export function codexFailure(error: unknown): { status?: number | undefined; code?: string | undefined; text: string } {
  const text = stringAt(error, "message") ?? (typeof error === "string" ? error : "");
  const info = asRecord(error)?.codex_error_info;
  if (typeof info === "string") return { code: info, text };
  const [code] = Object.keys(asRecord(info) ?? {});
  return code === undefined ? { text } : { code, status: numberAt(info, code, "http_status_code"), text };
}

const RETRY = /^\W{0,3}reconnecting\W{1,4}(?:(\d{1,3})\/(\d{1,3})|waiting for network)/i;

/** "Reconnecting... 2/5 (…)": the stream broke and is retried; "waiting for network": without end. */
export function codexRetry(text: string): { attempt?: number; max?: number } | undefined {
  const found = RETRY.exec(text.slice(0, 80));
  if (found === null) return undefined;
  return found[1] === undefined ? {} : { attempt: Number(found[1]), max: Number(found[2]) };
}
