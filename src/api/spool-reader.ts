/** Delivers the reports that agents stored while no daemon answered. */
import { sanitize } from "../core/text/sanitize.js";
import { RIGHTS } from "../daemon/http/tokens.js";
import type { DaemonParts } from "../daemon/parts.js";
import { enclosingSession } from "../sensors/process/enclosing.js";
import { type SpooledReport, spooled, unspool } from "../work/spool.js";
import { ApiError } from "./error.js";
import { performOperation } from "./operations/index.js";
import type { Services } from "./service/services.js";

/** The host of an agent that started while the daemon was down registers it within this time. */
const REGISTER_MS = 60_000;

export interface SpoolParts {
  paths: Pick<DaemonParts["paths"], "state">;
  loop: Pick<DaemonParts["loop"], "find" | "now" | "sessions">;
}

export class SpoolReader {
  readonly #parts: SpoolParts;
  readonly #services: Services;
  readonly #log: (line: string) => void;
  readonly #startedAt: number;
  #isReading = false;

  constructor(parts: SpoolParts, services: Services, log: (line: string) => void) {
    this.#parts = parts;
    this.#services = services;
    this.#log = log;
    this.#startedAt = parts.loop.now();
  }

  /**
   * To be called with each tick. Oldest first. While the hub is unreachable, everything stays; while an agent is not
   * registered yet, its own reports stay.
   */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { state } = this.#parts.paths;
    const missing = new Set<string>();
    try {
      for (const { id, report } of spooled(state)) {
        const session = report ? this.#reporterOf(report) : null;
        if (session !== null && this.#isExpected(session)) missing.add(session);
        if (session !== null && missing.has(session)) continue;
        if (report && !(await this.#deliver(id, { ...report, session }))) return;
        unspool(state, id);
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** What the processes show counts before what the report says. Process numbers are given again, so only agents of that time. */
  #reporterOf({ session, parents, at }: SpooledReport): string | null {
    const then = this.#parts.loop
      .sessions()
      .map((judge) => judge.session)
      .filter(({ startedAt, endedAt }) => startedAt <= at && (endedAt === null || endedAt >= at));
    const place = (pid: number) => parents.find((one) => one.pid === pid) ?? null;
    const [first] = parents;
    const around = first && enclosingSession(first.pid, then, new Set(), { place, mark: () => null });
    return around?.id ?? session;
  }

  #isExpected(session: string): boolean {
    const { loop } = this.#parts;
    return loop.find(session) === null && loop.now() - this.#startedAt < REGISTER_MS;
  }

  /** False: try again later. */
  async #deliver(id: string, { operation, at, session, input }: SpooledReport): Promise<boolean> {
    const client = { name: "user", rights: new Set(RIGHTS), ...(session === null ? {} : { caller: { session } }) };
    try {
      const known = session === null ? null : this.#parts.loop.find(session);
      const timed = { ...input, at, ...(operation === "checkpoint" ? { request_id: input.request_id ?? id } : {}) };
      // The process of an ended agent can be looked up no more; its own report is still one.
      if (session !== null && known && known.session.endedAt !== null) {
        if (input.agent !== undefined && input.agent !== known.session.name && input.agent !== session)
          throw new ApiError("identity", `it was made inside of ${known.session.name}, about another agent`);
        await performOperation(this.#services, operation, { ...timed, agent: session }, client);
      } else await performOperation(this.#services, operation, timed, client);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === "unavailable") return false;
      this.#log(`a stored ${operation} was refused: ${sanitize(error.message, 300)}`);
      return true;
    }
  }
}
