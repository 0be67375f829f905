/** Delivers the reports that agents stored while no daemon answered. */
import { sanitize } from "../core/text/sanitize.js";
import { RIGHTS } from "../daemon/http/tokens.js";
import type { DaemonParts } from "../daemon/parts.js";
import { type SpooledReport, spooled, unspool } from "../work/spool.js";
import { ApiError } from "./error.js";
import { performOperation } from "./operations/index.js";
import type { Services } from "./service/services.js";

export class SpoolReader {
  readonly #state: string;
  readonly #services: Services;
  readonly #log: (line: string) => void;
  #isReading = false;

  constructor({ paths }: Pick<DaemonParts, "paths">, services: Services, log: (line: string) => void) {
    this.#state = paths.state;
    this.#services = services;
    this.#log = log;
  }

  /** To be called with each tick. Oldest first; what cannot be delivered yet stays, and so does everything after it. */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (const { id, report } of spooled(this.#state)) {
        if (report && !(await this.#deliver(id, report))) return;
        unspool(this.#state, id);
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** False: try again later. */
  async #deliver(id: string, { operation, at, session, input }: SpooledReport): Promise<boolean> {
    const client = { name: "user", rights: new Set(RIGHTS), ...(session === null ? {} : { caller: { session } }) };
    const timed = operation === "checkpoint" ? { ...input, at, request_id: id } : input;
    try {
      await performOperation(this.#services, operation, timed, client);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === "unavailable") return false;
      this.#log(`a stored ${operation} was refused: ${sanitize(error.message, 300)}`);
      return true;
    }
  }
}
