/** An agent's own statement about its state, stored as a signal. */
import type { SessionJudge } from "../../core/session-judge.js";
import { findCaller } from "../../daemon/intake/callers.js";
import { parseSignal } from "../../readers/signal-schema.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { checkReporter } from "./access.js";
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

  /** Without a name, about the agent that the client runs in. */
  async report(
    { agent, cwd }: { agent?: string | undefined; cwd?: string | undefined },
    { heartbeat, ...said }: Report,
    identity: Identity,
  ): Promise<{ agent: string }> {
    const { loop } = this.#context;
    const judge = agent === undefined ? this.#own(identity, cwd) : findAgent(this.#context, agent);
    if (!judge)
      throw new ApiError(
        "unknown",
        "this process belongs to no watched agent; if it has just started, try again; otherwise name the agent (CLI --name, MCP pane_id, HTTP agent)",
      );
    checkReporter(identity, judge.session);
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

  /** The folder of the client says only where it runs, not what it is. */
  #own({ inside, isInner, scope, rights, token, caller }: Identity, cwd: string | undefined): SessionJudge | null {
    const { loop } = this.#context;
    if (inside && !isInner) return inside;
    const [only, ...others] = scope.agents;
    if (token !== null) return only !== undefined && others.length === 0 ? loop.find(only) : null;
    return findCaller(loop, rights.has("report_any") && inside === null ? { ...caller, cwd } : caller);
  }
}
