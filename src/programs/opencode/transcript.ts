/** One database for all sessions of a user. Only its rows show which one is the agent's: see `database.ts`. */
import { basename, dirname, join } from "node:path";
import type { JsonRecord } from "../../readers/records/json.js";
import { hasFields, ID, optionOf, type TranscriptPart } from "../transcript.js";
import { unfoldExport } from "./export-document.js";

const DATABASE = /^opencode(?:-[\w.-]{1,40})?\.db$/;

export const transcript: TranscriptPart = {
  locate: ({ env, home, openFiles, argv, cwd, startedAt }) => {
    const usual = join(env.get("XDG_DATA_HOME") || join(home, ".local", "share"), "opencode", "opencode.db");
    const path = openFiles.find((file) => DATABASE.test(basename(file))) ?? usual;
    const root = dirname(path);
    const given = optionOf(argv, ["--session", "-s"]);
    const session = given !== null && ID.test(given) ? given : null;
    const database = cwd === null ? {} : { database: { path, root, directory: cwd, startedAt, session } };
    return Promise.resolve({ transcript: null, root, sessionId: session, configFolder: root, ...database });
  },
  isOwn: (records) => hasFields(records, "table", "data") || isRun(records),
  isStream: isRun,
  unfold: unfoldExport,
  sideFiles: { absent: "a subagent's rows are in the same database" },
  database: async () => (await import("./database.js")).database,
};

/** `opencode run --format json`. */
function isRun(records: readonly JsonRecord[]): boolean {
  return hasFields(records, "type", "timestamp", "sessionID");
}
