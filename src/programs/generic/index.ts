import type { AgentProgram } from "../program.js";
import { generic } from "./screens.js";

export const genericProgram: AgentProgram = {
  profile: generic,
  process: { absent: "any program may be one" },
  readers: async () => (await import("./readers/index.js")).readers,
  transcript: { absent: "the files of an unknown program are not known" },
  sessionFile: { absent: "the files of an unknown program are not known" },
  hooks: { absent: "the settings of an unknown program are not known" },
  telemetry: { absent: "the settings of an unknown program are not known" },
  account: { absent: "the account of an unknown program is not known" },
  ambiguousLabels: [],
};
