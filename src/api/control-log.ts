/** Who ordered what to be done to which agent, and what came of it: JSON lines, the intent before the touch. */

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

  /** Throws where it cannot be written: then nothing is touched. Returns what the outcome is to be called by. */
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
      // The touch is done; its intent stands without an outcome, which says what is known.
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
