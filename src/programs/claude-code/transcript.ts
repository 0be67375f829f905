/** One file of lines per conversation, below `projects/`; the files of its subagents beside it. */
import { basename, join } from "node:path";
import type { ProgramFiles } from "../files.js";
import { hasFields, ID, newestFile, optionOf, type TranscriptPart, UUID } from "../transcript.js";
import { commandLimitMs } from "./command-limit.js";
import { SPARE } from "./process.js";
import { sessionFile } from "./session-file.js";
import { readTaskFiles } from "./task-files.js";

const FOLDERS_MAX = 2000;
/** Helpers whose files are copies of the parent's lines. */
const COPIES = /^agent-(?:acompact|aside_question|aprompt_suggestion)-/;

export const transcript: TranscriptPart = {
  locate: async (candidate, files) => {
    const { pids, startedAt, argv, cwd, env, home } = candidate;
    const configFolder = env.get("CLAUDE_CONFIG_DIR") || join(home, ".claude");
    const root = join(configFolder, "projects");
    if (isClientOfSupervisor(argv)) return null;
    for (const pid of pids) {
      const file = await sessionFile.read(files, { configFolder, pid, startedAt });
      if (file?.sessionId && ID.test(file.sessionId)) {
        const { sessionId, supervisedAs } = file;
        const path = await pathOf(files, root, sessionId, file.cwd ?? cwd);
        const named = { transcript: path, root, sessionId, configFolder, isNamed: true };
        return { ...named, ...(supervisedAs ? { supervisedAs } : {}) };
      }
    }
    // One that is only starting, or is kept ready for the next session.
    if (env.get("CLAUDE_CODE_SESSION_KIND") === "bg" || argv[0] === SPARE) return null;
    const given = optionOf(argv, ["--session-id", "--resume", "-r"]);
    if (given !== null && UUID.test(given) && ID.test(given))
      return { transcript: await pathOf(files, root, given, cwd), root, sessionId: given, configFolder };
    const isConversation = (name: string): boolean => name.endsWith(".jsonl") && !name.startsWith("agent-");
    const newest =
      cwd === null ? null : await newestFile(files, join(root, projectFolder(cwd)), startedAt, isConversation);
    return { transcript: newest, root, sessionId: newest ? basename(newest, ".jsonl") : null, configFolder };
  },
  commandLimitMs,
  todoFiles: readTaskFiles,
  isOwn: (records) => hasFields(records, "sessionId", "type", "uuid") || hasFields(records, "parentUuid"),
  // The stream has no times, so it can only be read live.
  isStream: () => false,
  unfold: { absent: "sessions are files of lines" },
  sideFiles: {
    folder: (path) => Promise.resolve(join(path.replace(/\.jsonl$/, ""), "subagents")),
    isSideFile: (name) => name.startsWith("agent-") && name.endsWith(".jsonl") && !COPIES.test(name),
  },
  database: { absent: "the transcript is a file of lines" },
};

/** It starts or shows a session that another process runs. The first word may be a runtime. */
const isClientOfSupervisor = (argv: readonly string[]): boolean =>
  argv.includes("--bg") || argv.includes("--background") || argv.slice(1, 3).includes("attach");

/** The folder of a project: everything but letters and digits becomes a dash. */
function projectFolder(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}

/**
 * The file does not exist before the first prompt, so its future path is an answer too. A process that changed its
 * folder, and a shortened long path, are found by the name of the file.
 */
async function pathOf(
  files: ProgramFiles,
  root: string,
  sessionId: string,
  cwd: string | null,
): Promise<string | null> {
  const name = `${sessionId}.jsonl`;
  const expected = cwd === null ? null : join(root, projectFolder(cwd), name);
  if (expected !== null && (await files.changedAt(expected)) !== null) return expected;
  for (const folder of (await files.names(root)).slice(0, FOLDERS_MAX)) {
    const path = join(root, folder, name);
    if ((await files.changedAt(path)) !== null) return path;
  }
  return expected;
}
