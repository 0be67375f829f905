/** A task from a file, by the names of the API. */
import type { NewTask } from "../hub/hub.js";

const NAMES: Readonly<Record<string, string>> = {
  qa: "qa_requirements",
  blockedBy: "blocked_by",
  maxContinuations: "max_continuations",
};

export const taskDocument = (task: NewTask): Record<string, unknown> =>
  Object.fromEntries(Object.entries(task).map(([name, value]) => [NAMES[name] ?? name, value]));
