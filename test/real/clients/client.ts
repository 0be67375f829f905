/** What the tests know of a client: its source, a setup without questions, and its start. */

/** The place of one case: its own home and project. */
export interface Place {
  home: string;
  project: string;
  /** The model server. */
  url: string;
}

/** The client's permissions, and the account that it is set up for. */
export interface Mood {
  asks: boolean;
  account: "key" | "plan";
}

export interface Client {
  name: string;
  kind: string;
  package: string;
  /** The version behind the figures in docs/evidence/accuracy.md; the variable selects another. */
  version: string;
  versionVariable: string;
  /** Inside the installed package's `node_modules`. */
  program: string;
  /** Scenarios that do not apply to it, and why. */
  without?: Readonly<Record<string, string>>;
  /** Hosts that it contacts at every start regardless of settings; they are refused, as all are. */
  insists: readonly string[];
  /** The arguments by which a user adds an MCP server. */
  addsMcp?(name: string, command: readonly string[], env: Record<string, string>): string[];
  /** Writes the answers to the questions of a first start, and returns arguments and environment. */
  prepare(place: Place, mood: Mood): { args: string[]; env: Record<string, string> };
}
