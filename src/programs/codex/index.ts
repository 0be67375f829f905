import type { AgentProgram } from "../program.js";
import { account } from "./account.js";
import { hooks } from "./hooks.js";
import { process } from "./process.js";
import { codex } from "./screens.js";
import { telemetry } from "./telemetry.js";
import { transcript } from "./transcript.js";

export const codexProgram: AgentProgram = {
  profile: codex,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "the program writes no session file" },
  hooks,
  telemetry,
  account,
  ambiguousLabels: [],
};
