import { join } from "node:path";
import { ID, optionOf, type TranscriptPart } from "../transcript.js";

/** Goose keeps all sessions in one SQLite database, which rouse does not read. Its arguments may name the session. */
export const transcript: TranscriptPart = {
  locate: ({ env, home, argv }) => {
    const given = optionOf(argv, ["--session-id", "--id"]);
    return Promise.resolve({
      transcript: null,
      root: join(env.get("XDG_DATA_HOME") || join(home, ".local", "share"), "goose", "sessions"),
      sessionId: given !== null && ID.test(given) ? given : null,
      configFolder: join(env.get("XDG_CONFIG_HOME") || join(home, ".config"), "goose"),
    });
  },
  isOwn: () => false,
  isStream: () => false,
  unfold: { absent: "rouse does not read its exports" },
  sideFiles: { absent: "subagents are in the same database" },
  database: { absent: "rouse does not read its database" },
};
