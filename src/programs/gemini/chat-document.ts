/** A chat as one JSON document, `session-*.json`: releases before the files of lines, and exports. */
import { arrayAt, asRecord, type JsonRecord, stringAt } from "../../readers/records/json.js";

/** The lines that a newer release would have written: a reply with its calls open, then with their results. */
export function unfoldChat(document: JsonRecord): JsonRecord[] | null {
  const { messages, ...header } = document;
  if (stringAt(header, "sessionId") === undefined || !Array.isArray(messages)) return null;
  if (stringAt(header, "projectHash") === undefined && stringAt(header, "startTime") === undefined) return null;
  const lines = (messages as unknown[]).flatMap((message) => linesOf(asRecord(message) ?? {}));
  return [{ projectHash: "", ...header, timestamp: stringAt(header, "startTime") }, ...lines];
}

function linesOf(message: JsonRecord): JsonRecord[] {
  const calls = arrayAt(message, "toolCalls").map((call) => asRecord(call) ?? {});
  if (calls.length === 0) return [message];
  const { timestamp } = message;
  const endedAt = calls.map((call) => stringAt(call, "timestamp") ?? "").reduce((a, b) => (a > b ? a : b));
  const started = calls.map(({ result: _result, ...call }) => ({ ...call, status: "executing" }));
  return [
    { ...message, toolCalls: started },
    { ...message, timestamp: endedAt === "" ? timestamp : endedAt },
  ];
}
