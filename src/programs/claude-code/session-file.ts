/** Claude Code's state file of one process, `sessions/<pid>.json`: its status and its conversation. */
import { join } from "node:path";
import { parseRecord, stringAt } from "../../readers/records/json.js";
import { type SessionFilePart, SLACK_MS } from "../transcript.js";

const FILE_BYTES = 64 * 1024;

export const sessionFile: SessionFilePart = {
  nameOf: (pid) => `sessions/${pid}.json`,
  read: async (files, { configFolder, pid, startedAt }) => {
    const root = files.realRoot(join(configFolder, "sessions"));
    if (root === null) return null;
    const path = join(root, `${pid}.json`);
    // A killed process leaves its file behind, and its pid is reused.
    const changedAt = await files.changedAt(path);
    if (changedAt === null || changedAt < startedAt - SLACK_MS) return null;
    const record = parseRecord((await files.readHead(path, root, FILE_BYTES)) ?? "");
    const sessionId = stringAt(record, "sessionId");
    if (record === null || sessionId === undefined) return null;
    return { sessionId, cwd: stringAt(record, "cwd") ?? null, record };
  },
};
