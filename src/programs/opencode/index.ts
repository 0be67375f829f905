import type { AgentProgram } from "../program.js";
import { process } from "./process.js";
import { opencode } from "./screens.js";
import { transcript } from "./transcript.js";

export const opencodeProgram: AgentProgram = {
  profile: opencode,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "it keeps none" },
  hooks: { absent: "it has plugins instead" },
  telemetry: { absent: "rouse does not read its telemetry" },
  account: { absent: "it may use several providers at once" },
  ambiguousLabels: [],
};
