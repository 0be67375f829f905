import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { goose } from "./screens.js";
import { transcript } from "./transcript.js";

export const gooseProgram: AgentProgram = {
  profile: goose,
  process,
  readers: async () => (await import("../generic/readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "the program writes no session file" },
  hooks: { absent: "rouse has no hooks for it" },
  telemetry: { absent: "rouse does not read its telemetry" },
  account: { absent: "a session may use several providers" },
  ambiguousLabels: [],
};
