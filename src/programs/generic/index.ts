import type { AgentProgram } from "../program.js";
import { generic } from "./screens.js";

export const genericProgram: AgentProgram = {
  profile: generic,
  process: { absent: "no process name identifies it" },
  readers: async () => (await import("./readers/index.js")).readers,
  transcript: { absent: "the program is unknown, and so are its files" },
  sessionFile: { absent: "the program is unknown, and so are its files" },
  hooks: { absent: "the program is unknown, and so are its settings" },
  telemetry: { absent: "the program is unknown, and so are its settings" },
  account: { absent: "the program is unknown, and so is its account" },
  ambiguousLabels: [],
};
