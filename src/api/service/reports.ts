/** An agent's own statement about its state, stored as a signal. */
import { type Caller, findCaller } from "../../daemon/intake/callers.js";
import { parseSignal } from "../../readers/signal-schema.js";
import { ApiError } from "../error.js";
import { findAgent, type ServiceContext } from "./context.js";

export interface Report {
  state?: "working" | "error" | "complete" | "needs_input" | undefined;
  text?: string | undefined;
  heartbeat?: boolean | undefined;
}

export class ReportService {
  readonly #context: Pick<ServiceContext, "loop">;

  constructor(context: Pick<ServiceContext, "loop">) {
    this.#context = context;
  }

  /** A given name outranks the identity of the caller. */
  async report(
    { agent, cwd }: { agent?: string | undefined; cwd?: string | undefined },
    { heartbeat, ...said }: Report,
    caller: Caller = {},
  ): Promise<{ agent: string }> {
    const { loop } = this.#context;
    const judge = agent === undefined ? findCaller(loop, { ...caller, cwd }) : findAgent(this.#context, agent);
    if (!judge)
      throw new ApiError(
        "unknown",
        "this process belongs to no watched agent; if it has just started, try again; otherwise name the agent (CLI --name, MCP pane_id, HTTP agent)",
      );
    if (judge.session.endedAt !== null) throw new ApiError("refused", `${judge.session.name} ended`);
    if (said.state === undefined && !heartbeat)
      throw new ApiError(
        "bad",
        "state: missing; expected one of working, error, complete, needs_input, or a heartbeat",
      );
    const signal = parseSignal({
      kind: "report",
      at: loop.now(),
      source: "report",
      ...said,
      ...(heartbeat ? { heartbeat } : {}),
    });
    if (!signal) throw new ApiError("bad", "text: not accepted; expected plain text");
    await loop.ingest(judge.session.id, null, [signal]);
    return { agent: judge.session.name };
  }
}
