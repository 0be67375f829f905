import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { claudeCode } from "./screens.js";
import { sessionFile } from "./session-file.js";
import { transcript } from "./transcript.js";

export const claudeCodeProgram: AgentProgram = {
  profile: claudeCode,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile,
};
