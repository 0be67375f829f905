import type { ProgramReaders } from "../../program.js";
import { CodexNotifyReader } from "./notify.js";
import { CodexRolloutReader } from "./rollout.js";
import { CodexStreamReader } from "./stream.js";

export const readers: ProgramReaders = {
  transcript: (o) => new CodexRolloutReader(o),
  stream: (o) => new CodexStreamReader(o),
  hook: (o) => new CodexNotifyReader(o),
  session_file: null,
};
