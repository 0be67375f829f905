/** One row of the table of operations: everything that HTTP, MCP, the library, the socket, the CLI and the docs need. */
import type * as z from "zod";
import type { Right } from "../../daemon/http/tokens.js";
import type { FromInside } from "../from-inside.js";
import type { Identity } from "../identity.js";
import type { Services } from "../service/services.js";

/** Where an operation is offered besides the socket, which offers all of them. */
export interface Surfaces {
  /** The daemon's port. */
  http: boolean;
  /** MCP tools made from it. */
  mcp: readonly string[];
  /** Method of the library. */
  library: string | null;
  /** `rouse` commands that use it. */
  cli: readonly string[];
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Answer = unknown> {
  summary: string;
  right: Right;
  fromInside: FromInside;
  method: "get" | "post";
  /** A field of the input in braces is part of the path. */
  path: string;
  input: Input;
  output: z.ZodObject;
  surfaces: Surfaces;
  /**
   * Lines in the audit trail: required before it runs, or added if they can be stored; by its handler, which knows more; or
   * none.
   */
  audit: "required" | "if possible" | "handler" | "none";
  /** Input of the `curl` example in docs/api.md; a test runs it. */
  example: z.input<Input>;
  run(services: Services, input: z.output<Input>, client: Identity): Answer | Promise<Answer>;
}

type Row<Input extends z.ZodObject, Output extends z.ZodObject, Answer> = Omit<
  Operation<Input, Answer>,
  "surfaces" | "output" | "right" | "fromInside" | "audit"
> & { output: Output; surfaces?: Partial<Surfaces>; audit?: "if possible" | "handler" } & (
    | { right: "read" }
    | { right: Exclude<Right, "read">; fromInside: FromInside }
  );

/**
 * Checks at compile time that the handler returns the documented output, and that an operation that changes something says
 * what a watched agent may do with it.
 */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject, Answer extends z.input<Output>>(
  row: Row<Input, Output, Answer>,
): Operation<Input, Answer> {
  return {
    fromInside: "allowed",
    audit: row.right === "control" || row.right === "admin" ? "required" : "none",
    ...row,
    surfaces: { http: true, mcp: [], library: null, cli: [], ...row.surfaces },
  };
}
