/** What a scripted model does: data, the same for every vendor's API. */

/** A tool by what it does; each dialect knows how its client calls it. */
export type ToolCall =
  | { tool: "read"; path: string }
  | {
      tool: "shell";
      command: string /** It asks the person first, where the client's set-up leaves that to the model. */;
      asks?: boolean;
    }
  /** Of an MCP server, by the name that the client was told. */
  | { tool: "mcp"; server: string; name: string; input: Record<string, unknown> }
  | { tool: "ask"; question: string; options: readonly string[] };

/** A failure by its kind; each dialect knows the vendor's status, headers and body. */
export type FailureKind = "overloaded" | "rate_limit" | "usage_limit" | "auth" | "server_error";

export interface HttpFailure {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

export type Step =
  /** A block of reply text or of thought, spread over so many milliseconds. */
  | { do: "text" | "think"; text: string; ms?: number }
  | ({ do: "call" } & ToolCall)
  /** So many signs of life, and nothing else. */
  | { do: "ping"; times: number; everyMs: number }
  /** Nothing at all, or pings only, for so long: for ever when no time is given. As the first step it holds the headers back too. */
  | { do: "stall"; ms?: number; pingMs?: number }
  /** Nothing until the test tells this word. */
  | { do: "await"; word: string }
  /** Instead of a reply; only as the first step. */
  | { do: "fail"; kind: FailureKind; resetsInS?: number; holds?: never }
  /** The same to whoever asks until the reset; the script goes on after it. */
  | { do: "fail"; kind: FailureKind; resetsInS: number; holds: true }
  | ({ do: "fail" } & HttpFailure)
  /** An error event inside a stream that had begun well. */
  | { do: "break"; type: string; message: string }
  /** The connection is cut. */
  | { do: "drop" };

/** One reply per request of the conversation; the last one goes on answering. */
export type Script = readonly (readonly Step[])[];

/** What the server did, with the time: the truth that a verdict is measured by. */
export interface Action {
  at: number;
  /** `request` as it came, each step as it began, `end` of a reply; `side` is a request beside the conversation, `phoned` one to the world outside. */
  did: "request" | "end" | "closed" | "side" | "phoned" | Step["do"];
  /** Which request of the conversation. */
  request: number;
  what?: string;
}
