import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { codex } from "./screens.js";
import { transcript } from "./transcript.js";

export const codexProgram: AgentProgram = {
  profile: codex,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "it keeps none" },
};
