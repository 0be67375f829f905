/**
 * The tasks of a Claude Code session: `tasks/<session>/<number>.json` in its configuration folder, written by its tools
 * TaskCreate and TaskUpdate. The format is undocumented, so it is only read.
 */
import { basename, dirname, join } from "node:path";
import type { Todos } from "../../core/signal.js";
import type { ProgramFiles } from "../files.js";
import { countTodos } from "../shared/todos.js";
import { UUID } from "../transcript.js";

const FILES_MAX = 100;
const BYTES_MAX = 64 * 1024;

/** The list that belongs to the session of a transcript; null if there is none. */
export async function readTaskFiles(transcript: string, files: ProgramFiles): Promise<Todos | null> {
  const session = basename(transcript, ".jsonl");
  if (!UUID.test(session)) return null;
  // <configuration>/projects/<folder>/<session>.jsonl
  const folder = join(dirname(dirname(dirname(transcript))), "tasks", session);
  const root = files.realRoot(folder);
  if (root === null) return null;
  const names = (await files.names(root))
    .filter((name) => /^\d{1,9}\.json$/.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .slice(-FILES_MAX);
  const tasks: unknown[] = [];
  for (const name of names) {
    const text = await files.readHead(join(root, name), root, BYTES_MAX);
    if (text !== null) tasks.push(parsed(text));
  }
  return countTodos(tasks);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
