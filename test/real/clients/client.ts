/** What the tests know of a client: where it comes from, how it is set up so that nothing is asked, how it is started. */

/** Where one case lives: a home and a project of its own. */
export interface Place {
  home: string;
  project: string;
  /** The model server. */
  url: string;
}

/** How much the client may do by itself, and whose account it thinks it uses. */
export interface Mood {
  asks: boolean;
  account: "key" | "plan";
}

export interface Client {
  name: string;
  kind: string;
  package: string;
  /** What the figures in docs/evidence/accuracy.md were taken with; the variable names another. */
  version: string;
  versionVariable: string;
  /** Inside the installed package's `node_modules`. */
  program: string;
  /** Scenarios that say nothing with it, and why. */
  without?: Readonly<Record<string, string>>;
  /** Hosts that it asks for at every start and that no setting keeps it from; they are refused, as all are. */
  insists: readonly string[];
  /** The arguments by which a person gives it an MCP server. */
  addsMcp?(name: string, command: readonly string[], env: Record<string, string>): string[];
  /** Writes what a person would have answered at the first start, and returns arguments and environment. */
  prepare(place: Place, mood: Mood): { args: string[]; env: Record<string, string> };
}
