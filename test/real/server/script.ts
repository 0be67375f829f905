/** What a scripted model does: data, the same for every vendor's API. */

/** A tool by its function; each dialect knows how its client calls it. */
export type ToolCall =
  | { tool: "read"; path: string }
  | {
      tool: "shell";
      command: string;
      /** Asks the user first, if the client's setup leaves that to the model. */
      asks?: boolean;
      /** Left running behind the call, if the client can do that. */
      background?: boolean;
    }
  /** A tool of an MCP server, by the name that the client got. */
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
  /** A block of reply text or thought, spread over this many milliseconds. */
  | { do: "text" | "think"; text: string; ms?: number }
  | ({ do: "call" } & ToolCall)
  /** This many pings, and nothing else. */
  | { do: "ping"; times: number; everyMs: number }
  /**
   * Silence, or only pings, for this long: forever without a time. As the first step it also holds back the headers.
   */
  | { do: "stall"; ms?: number; pingMs?: number }
  /** Waits until the test releases this name. */
  | { do: "await"; word: string }
  /** Instead of a reply; only as the first step. */
  | { do: "fail"; kind: FailureKind; resetsInS?: number; holds?: never }
  /** The same answer to every request until the reset; the script continues after it. */
  | { do: "fail"; kind: FailureKind; resetsInS: number; holds: true }
  | ({ do: "fail" } & HttpFailure)
  /** An error event inside a stream that started well. */
  | { do: "break"; type: string; message: string }
  /** The connection is cut. */
  | { do: "drop" };

/** One reply per request of the conversation; the last one answers all further requests. */
export type Script = readonly (readonly Step[])[];

/** An action of the server with its time: the truth that a verdict is measured against. */
export interface Action {
  at: number;
  /**
   * `request` on arrival, each step at its start, `end` of a reply; `side` is a request beside the conversation,
   * `phoned` one to an outside host.
   */
  did: "request" | "end" | "closed" | "side" | "phoned" | Step["do"];
  /** The number of the request in the conversation. */
  request: number;
  what?: string;
}
