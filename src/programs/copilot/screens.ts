import { generic } from "../generic/screens.js";
import type { AgentProfile } from "../shared/profile.js";

/** GitHub Copilot CLI. Its session file shows prompts, tools and errors; its screen is read like that of any program. */
export const copilot: AgentProfile = {
  ...generic,
  id: "copilot",
  programs: ["copilot"],
  products: ["GitHub Copilot CLI"],
};
