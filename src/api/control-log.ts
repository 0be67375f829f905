/** Orders of clients and their results as JSON lines. The intent is written before the action. */

import { randomUUID } from "node:crypto";
import { appendFileSync, renameSync, statSync } from "node:fs";
import type { AgentSession } from "../core/agent.js";
import { sanitizedJson } from "../core/text/sanitize.js";
import { redactOutput } from "./leaving.js";

const BYTES_MAX = 1024 * 1024;
const TEXT_MAX = 500;

export interface IntendedControl {
  at: number;
  client: string;
  agent: string;
  session: Pick<AgentSession, "id">;
  action: string;
  text: string;
}

export class ControlLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws if it cannot be written; then the order does not run. Returns the id for its outcome. */
  intend({ at, client, agent, session, action, text }: IntendedControl): string {
    const id = randomUUID();
    const shown = text.slice(0, TEXT_MAX);
    this.#append({ id, at: new Date(at).toISOString(), client, agent, session: session.id, action, text: shown });
    return id;
  }

  outcome({ id, at, result, reason }: { id: string; at: number; result: string; reason: string }): void {
    try {
      this.#append({ id, at: new Date(at).toISOString(), result, reason });
    } catch {
      // The action has run; an intent without an outcome is the correct record.
    }
  }

  #append(line: object): void {
    if (sizeOf(this.#path) > BYTES_MAX) renameSync(this.#path, `${this.#path}.old`);
    appendFileSync(this.#path, `${sanitizedJson(redactOutput(line))}\n`, { mode: 0o600, flush: true });
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
