/** An agent's own statement about its state, stored as a signal. */
import type { SessionJudge } from "../../core/session-judge.js";
import { findCaller } from "../../daemon/intake/callers.js";
import { parseSignal } from "../../readers/signal-schema.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { checkReporter } from "./access.js";
import { findAgent, type ServiceContext } from "./context.js";
import { UnseenAgents } from "./unseen-agents.js";

export interface Report {
  state?: "working" | "error" | "complete" | "needs_input" | undefined;
  text?: string | undefined;
  heartbeat?: boolean | undefined;
  /** When it was made, if it is delivered later. */
  at?: number | undefined;
}

export class ReportService {
  readonly #context: Pick<ServiceContext, "loop">;
  readonly #unseen: UnseenAgents;

  constructor(context: Pick<ServiceContext, "loop">) {
    this.#context = context;
    this.#unseen = new UnseenAgents(context.loop);
  }

  /** Without a name, about the agent that the client runs in. */
  async report(
    { agent, cwd }: { agent?: string | undefined; cwd?: string | undefined },
    { heartbeat, at, ...said }: Report,
    identity: Identity,
  ): Promise<{ agent: string }> {
    const { loop } = this.#context;
    checkReport(said, heartbeat);
    const unseen = agent === undefined ? null : this.#unseen.find(identity, agent);
    const created = agent !== undefined && unseen === "new" ? await this.#unseen.create(identity, agent) : unseen;
    const about = created !== null && created !== "new" ? created.id : agent;
    const judge = about === undefined ? this.#own(identity, cwd) : findAgent(this.#context, about);
    if (!judge)
      throw new ApiError(
        "unknown",
        "this process belongs to no watched agent; if it has just started, try again; otherwise name the agent (`--name` of `rouse report`, `pane_id` of an MCP tool, `agent` in HTTP)",
      );
    checkReporter(identity, judge.session);
    const madeAt = Math.min(at ?? loop.now(), loop.now());
    const { name, startedAt, endedAt } = judge.session;
    if (endedAt !== null && (at === undefined || madeAt > endedAt)) throw new ApiError("refused", `${name} ended`);
    // A later session of the same name did not make it.
    if (at !== undefined && madeAt < startedAt) throw new ApiError("refused", `the report is older than ${name}`);
    const signal = parseSignal({
      kind: "report",
      at: madeAt,
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

/** Before an agent is created for it. */
function checkReport({ state }: Report, heartbeat: boolean | undefined): void {
  if (state !== undefined || heartbeat) return;
  throw new ApiError("bad", "state: missing; expected one of working, error, complete, needs_input, or a heartbeat");
}
