/** `opencode export`: a session with its messages and their parts, as one JSON document. */
import { arrayAt, asRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../readers/records/json.js";

/** The rows of the database that the export was made from. Only some parts have times of their own. */
export function unfoldExport(document: JsonRecord): JsonRecord[] | null {
  const info = recordAt(document, "info");
  const id = stringAt(info, "id");
  if (info === undefined || id === undefined || !Array.isArray(document.messages)) return null;
  const created = numberAt(info, "time", "created") ?? 0;
  const session = { ...info, table: "session", time_created: created, time_compacting: undefined, data: {} };
  return [session, ...arrayAt(document, "messages").flatMap((message) => rowsOf(message, id, created))];
}

function rowsOf(message: unknown, session: string, startedAt: number): JsonRecord[] {
  const info = recordAt(message, "info") ?? {};
  const created = numberAt(info, "time", "created") ?? startedAt;
  const completed = numberAt(info, "time", "completed") ?? created;
  const ids = { session_id: session, message_id: info.id };
  const row = { table: "message", id: info.id, ...ids, time_created: created, time_updated: completed, data: info };
  let at = created;
  const parts = arrayAt(message, "parts").map((value): JsonRecord => {
    const part = asRecord(value) ?? {};
    const start = numberAt(part, "time", "start") ?? numberAt(part, "state", "time", "start");
    at = part.type === "step-finish" ? completed : Math.max(at, start ?? at);
    return { table: "part", id: part.id, ...ids, time_created: at, time_updated: completed, data: part };
  });
  return [row, ...parts];
}
