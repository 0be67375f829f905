import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { opencode } from "./screens.js";
import { transcript } from "./transcript.js";

export const opencodeProgram: AgentProgram = {
  profile: opencode,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "the program writes no session file" },
  hooks: { absent: "the program has plugins instead" },
  telemetry: { absent: "rouse does not read its telemetry" },
  account: { absent: "a session may use several providers" },
  ambiguousLabels: [],
};
