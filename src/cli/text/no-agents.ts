/** What every command says that lists agents. */
export const NO_AGENTS: string =
  "No agents. Start one with `rouse run -- COMMAND` or `rouse spawn -- COMMAND`, or adopt running ones with `rouse watch`.\n";
