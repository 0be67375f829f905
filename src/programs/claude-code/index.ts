import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { claudeCode } from "./screens.js";

export const claudeCodeProgram: AgentProgram = {
  profile: claudeCode,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
};
