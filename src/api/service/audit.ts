/** The audit trail: orders of clients, and what rouse did by itself. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { sanitize } from "../../core/text/sanitize.js";
import type { AuditOrigin, AuditResult } from "../../store/audit-entry.js";
import { ACCEPTED, type AuditCheck, type AuditLine } from "../../store/audit-table.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { actionOf, orderText, type RecordedOrder } from "../order-log.js";
import { concernedAgents, iso, type ServiceContext } from "./context.js";

export interface AuditLineView {
  id: number;
  at: string;
  author: string;
  origin: AuditOrigin;
  action: string;
  agent: string | null;
  session: string | null;
  text: string;
  /** Null while it is under way, or if no outcome was stored. */
  result: AuditResult | null;
  reason: string;
  ended_at: string | null;
}

export interface AuditQueryInput {
  since: number;
  agent?: string | undefined;
  limit: number;
}

export class AuditService {
  readonly #context: Pick<ServiceContext, "loop" | "journal" | "orders">;

  constructor(context: Pick<ServiceContext, "loop" | "journal" | "orders">) {
    this.#context = context;
  }

  list({ since, agent, limit }: AuditQueryInput): { lines: AuditLineView[] } {
    return {
      lines: this.#context.journal.audit
        .list({ since, agent: agent ?? null, limit })
        .map(lineView)
        .reverse(),
    };
  }

  /** Works in pieces; the daemon keeps judging between them. */
  async check(): Promise<AuditCheck> {
    const work = this.#context.journal.audit.checking();
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      await nextTurn();
    }
  }

  /** The user knows why lines are missing or were altered: they are history from here on. */
  async accept(by: Identity): Promise<{ accepted: string[] }> {
    const { problems } = await this.check();
    if (problems.length === 0) return { accepted: [] };
    const { orders } = this.#context;
    const line = orders.begin(by, { action: ACCEPTED, agent: null, session: null, text: problems.join("; ") });
    orders.finish(line, "done", "");
    return { accepted: problems };
  }

  /** Runs an operation between its two lines. */
  around<T>(
    operation: string,
    input: Readonly<Record<string, unknown>>,
    by: Identity,
    isRequired: boolean,
    run: () => T | Promise<T>,
  ): Promise<T> {
    return this.#context.orders.around(by, this.#orderOf(operation, input), isRequired, run);
  }

  /** A command that another process carries out; it reports the outcome with the number of the line. */
  begin(operation: string, input: Readonly<Record<string, unknown>>, by: Identity): { ok: boolean; line: number } {
    const order = this.#orderOf(operation, input);
    return { ok: true, line: this.#context.orders.begin(by, order) };
  }

  /** Only by the author of the line, and once. */
  finish(line: number, result: AuditResult, reason: string, by: Identity): { ok: boolean } {
    const found = this.#context.journal.audit.get(line);
    if (found === null || found.outcome !== null || found.author !== by.author || found.origin !== by.origin)
      throw new ApiError("unknown", `line ${line} is no command of this client that is under way`);
    this.#context.orders.finish(line, result, reason);
    return { ok: true };
  }

  #orderOf(action: string, input: Readonly<Record<string, unknown>>): RecordedOrder {
    const about = concernedAgents(this.#context, input).map(({ session }) => session);
    const given = typeof input.agent === "string" ? input.agent : null;
    const isText =
      typeof input.text === "string" && Object.keys(input).every((name) => name === "agent" || name === "text");
    return {
      action: actionOf(action),
      agent: about.length === 0 ? given : about.map(({ name }) => name).join(","),
      session: about.length === 1 ? (about[0]?.id ?? null) : null,
      text: isText ? String(input.text) : orderText(input),
    };
  }
}

function lineView({ id, at, author, origin, action, agent, session, text, outcome }: AuditLine): AuditLineView {
  return {
    id,
    at: iso(at),
    author,
    origin,
    action,
    agent: agent === null ? null : sanitize(agent, 200),
    session,
    text,
    result: outcome?.result ?? null,
    reason: outcome?.reason ?? "",
    ended_at: outcome === null ? null : iso(outcome.at),
  };
}
