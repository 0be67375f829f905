import type { AgentProgram } from "../program.js";
import { account } from "./account.js";
import { hooks } from "./hooks.js";
import { process } from "./process.js";
import { gemini } from "./screens.js";
import { transcript } from "./transcript.js";

export const geminiProgram: AgentProgram = {
  profile: gemini,
  process,
  readers: async () => (await import("./readers/index.js")).readers,
  transcript,
  sessionFile: { absent: "the program writes no session file" },
  hooks,
  telemetry: { absent: "rouse does not read its telemetry" },
  account,
  // A refused connection has the same screen as its silent retries.
  ambiguousLabels: ["unreachable"],
};
