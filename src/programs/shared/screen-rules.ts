import type { AgentProfile } from "./profile.js";

/** A running tool behind the spinner that Gemini CLI and the programs forked from it draw. */
export const SPINNING_TOOL_RULES: AgentProfile["rules"] = [
  {
    id: "tool-last",
    fact: "tool",
    region: "last",
    when: "^[│\\s]*[⊶⊷]\\s+Shell (?P<command>.+?)[\\s│]*$",
    class: "shell",
  },
  {
    id: "tool-last-2",
    fact: "tool",
    region: "last",
    when: "^[│\\s]*[⊶⊷]\\s+(?P<subject>.+?)[\\s│]*$",
    class: "shell",
  },
];
