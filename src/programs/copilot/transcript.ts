/** One folder per session below `session-state/`, with a file of events. */
import { join } from "node:path";
import { parseRecord, stringAt } from "../../readers/records/json.js";
import type { ProgramFiles } from "../files.js";
import { ID, optionOf, SLACK_MS, type TranscriptPart } from "../transcript.js";

const FOLDERS_MAX = 2000;
const HEAD_BYTES = 64 * 1024;

export const transcript: TranscriptPart = {
  locate: async ({ argv, cwd, env, home, startedAt }, files) => {
    const configFolder = env.get("COPILOT_HOME") || join(home, ".copilot");
    const root = join(configFolder, "session-state");
    const given = optionOf(argv, ["--resume", "--session-id"]);
    const session = given !== null && ID.test(given) ? given : await newestSession(files, root, cwd, startedAt);
    return { transcript: session && eventsOf(root, session), root, sessionId: session, configFolder };
  },
  isOwn: (records) =>
    records.some((record) => record.type === "session.start" && stringAt(record, "data", "sessionId") !== undefined) ||
    records.some(({ type }) => type === "tool.execution_start" || type === "assistant.turn_start"),
  isStream: () => false,
  unfold: { absent: "sessions are files of lines" },
  sideFiles: { absent: "events of subagents are in the same file" },
  database: { absent: "the transcript is a file of lines" },
};

const eventsOf = (root: string, session: string): string => join(root, session, "events.jsonl");

/** The session of this folder that was written last since the process started. */
async function newestSession(
  files: ProgramFiles,
  root: string,
  cwd: string | null,
  startedAt: number,
): Promise<string | null> {
  const real = cwd === null ? null : files.realRoot(root);
  if (real === null) return null;
  let newest: { name: string; at: number } | null = null;
  for (const name of (await files.names(root)).filter((one) => ID.test(one)).slice(0, FOLDERS_MAX)) {
    const at = await files.changedAt(eventsOf(root, name));
    if (at === null || at < startedAt - SLACK_MS || at <= (newest?.at ?? 0)) continue;
    const head = (await files.readHead(eventsOf(real, name), real, HEAD_BYTES)) ?? "";
    const start = parseRecord(head.slice(0, head.indexOf("\n")));
    if (stringAt(start, "data", "context", "cwd") === cwd) newest = { name, at };
  }
  return newest?.name ?? null;
}
