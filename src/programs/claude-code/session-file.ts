/**
 * Claude Code's state file of one process, `sessions/<pid>.json`: its status and its conversation. A session in the
 * background is run by the program's own supervisor and has a second one, `jobs/<id>/state.json`, which outlives its
 * processes.
 */
import { join } from "node:path";
import { type JsonRecord, parseRecord, stringAt } from "../../readers/records/json.js";
import type { ProgramFiles } from "../files.js";
import { ID, type SessionFilePart, SLACK_MS } from "../transcript.js";

const FILE_BYTES = 64 * 1024;
/** It contains the prompt. */
const JOB_BYTES = 256 * 1024;
/** The rest, such as the prompt and the environment, is not needed, and would be part of every recording. */
const JOB_KEYS = ["state", "tempo", "needs", "inFlight", "updatedAt"];

export const sessionFile: SessionFilePart = {
  nameOf: (pid) => `sessions/${pid}.json`,
  read: async (files, { configFolder, pid, startedAt, supervisedAs }) => {
    const found = await ownFile(files, configFolder, pid, startedAt);
    const own = found?.record ?? null;
    const sessionId = stringAt(own, "sessionId");
    const id = own ? jobIdOf(own) : supervisedAs;
    if (id === undefined)
      return found === null || own === null || sessionId === undefined
        ? null
        : { sessionId, cwd: stringAt(own, "cwd") ?? null, record: own, changedAt: found.changedAt };
    const record = { ...own, job: { id, ...(await jobFile(files, configFolder, id)) } };
    return { sessionId: sessionId ?? null, cwd: stringAt(own, "cwd") ?? null, record, supervisedAs: id };
  },
};

async function ownFile(
  files: ProgramFiles,
  configFolder: string,
  pid: number,
  startedAt: number,
): Promise<{ record: JsonRecord | null; changedAt: number } | null> {
  const root = files.realRoot(join(configFolder, "sessions"));
  if (root === null) return null;
  const path = join(root, `${pid}.json`);
  // A killed process leaves its file behind, and its pid is reused.
  const changedAt = await files.changedAt(path);
  if (changedAt === null || changedAt < startedAt - SLACK_MS) return null;
  return { record: parseRecord((await files.readHead(path, root, FILE_BYTES)) ?? ""), changedAt };
}

function jobIdOf(own: JsonRecord): string | undefined {
  const id = stringAt(own, "jobId") ?? "";
  return stringAt(own, "kind") === "bg" && ID.test(id) ? id : undefined;
}

async function jobFile(files: ProgramFiles, configFolder: string, id: string): Promise<JsonRecord> {
  const root = files.realRoot(join(configFolder, "jobs"));
  const text = root && (await files.readHead(join(root, id, "state.json"), root, JOB_BYTES));
  const state = text ? parseRecord(text) : null;
  return Object.fromEntries(JOB_KEYS.flatMap((key) => (state && key in state ? [[key, state[key]]] : [])));
}
