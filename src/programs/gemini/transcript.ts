/** One chat file of lines per session, below `tmp/<project>/chats/`. */
import { dirname, join } from "node:path";
import { asRecord, type JsonRecord, parseRecord, stringAt } from "../../readers/records/json.js";
import type { ProgramFiles } from "../files.js";
import { hasFields, newestFile, type TranscriptPart, UUID } from "../transcript.js";
import { unfoldChat } from "./chat-document.js";

const PROJECTS_BYTES = 1024 * 1024;

export const transcript: TranscriptPart = {
  locate: async ({ home, cwd, startedAt }, files) => {
    const configFolder = join(home, ".gemini");
    const root = join(configFolder, "tmp");
    const nothing = { transcript: null, root, sessionId: null, configFolder };
    if (cwd === null) return nothing;
    const isChat = (name: string): boolean => name.startsWith("session-") && name.endsWith(".jsonl");
    for (const name of new Set([files.sha256(cwd), ...(await projectNames(files, configFolder, cwd))])) {
      const newest = await newestFile(files, join(root, name, "chats"), startedAt, isChat);
      if (newest) return { ...nothing, transcript: newest };
    }
    return nothing;
  },
  isOwn: (records) =>
    hasFields(records, "sessionId", "projectHash") ||
    records.some(({ type }) => type === "gemini") ||
    isGeminiStream(records),
  isStream: isGeminiStream,
  unfold: unfoldChat,
  sideFiles: {
    // The folder has the id of the session, of which the name of the chat has the start.
    folder: async (path, files) => {
      const start = /-([0-9a-f]{8})\.jsonl$/.exec(path)?.[1];
      const names = start === undefined ? [] : await files.names(dirname(path));
      const own = names.find((name) => name.startsWith(`${start}-`) && UUID.test(name));
      return own === undefined ? null : join(dirname(path), own);
    },
    isSideFile: (name) => name.endsWith(".jsonl"),
  },
  database: { absent: "the transcript is a file of lines" },
};

/** `--output-format stream-json`. */
function isGeminiStream(records: readonly JsonRecord[]): boolean {
  return hasFields(records, "tool_name", "tool_id") || records.some((record) => isStreamStart(record));
}

const isStreamStart = (record: JsonRecord): boolean =>
  record.type === "init" && "session_id" in record && "model" in record && "timestamp" in record;

/** Newer releases name a project's folder, and keep a list of the names. */
async function projectNames(files: ProgramFiles, configFolder: string, cwd: string): Promise<string[]> {
  const root = files.realRoot(configFolder);
  const text = root && (await files.readHead(join(root, "projects.json"), root, PROJECTS_BYTES));
  const name = stringAt(asRecord(parseRecord(text ?? "")?.projects), cwd);
  return name !== undefined && /^[\w.-]{1,200}$/.test(name) && !name.startsWith(".") ? [name] : [];
}
