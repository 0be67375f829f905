import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { gemini } from "./screens.js";

export const geminiProgram: AgentProgram = {
  profile: gemini,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
};
