import type { AgentProgram } from "../program.js";
import { account } from "./account.js";
import { hooks } from "./hooks.js";
import { process } from "./process.js";
import { claudeCode } from "./screens.js";
import { sessionFile } from "./session-file.js";
import { telemetry } from "./telemetry.js";
import { transcript } from "./transcript.js";

export const claudeCodeProgram: AgentProgram = {
  profile: claudeCode,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile,
  hooks,
  telemetry,
  account,
  ambiguousLabels: [],
};
