import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { copilot } from "./screens.js";
import { transcript } from "./transcript.js";

export const copilotProgram: AgentProgram = {
  profile: copilot,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "the program writes no session file" },
  hooks: { absent: "rouse has no hooks for it" },
  telemetry: { absent: "rouse does not read its telemetry" },
  account: { absent: "a session may use several providers" },
  ambiguousLabels: [],
};
