/**
 * Stores an agent's screen when its state changes, and finds the screen of an earlier time: from the output that the host
 * still has, else the stored screen of the last change of state.
 */
import { join } from "node:path";
import type { AgentSession } from "../../core/agent.js";
import { redact } from "../../core/text/redact.js";
import { sanitizeLine } from "../../core/text/sanitize.js";
import type { DaemonParts } from "../../daemon/parts.js";
import { PollLink } from "../../sensors/tmux/link.js";
import { askHostProcess } from "../../terminal/ask.js";
import { findRecord } from "../../terminal/registry.js";
import { paintApart } from "../painter.js";
import { keptBytes } from "../pane.js";
import { ScreenStore, type StoredScreen } from "./screen-store.js";

const ANSWER_MS = 3000;
const ROWS_MAX = 500;
const ROW_MAX = 1000;
/** Screens that may wait to be read; beyond that a change of state has none. */
const WAITING_MAX = 200;
/** An agent that changes its state more often than this keeps the first screen. */
const LEAST_MS = 1000;
const PANE_ID = /^%\d{1,10}$/;

export interface ScreenAt {
  /** When the terminal showed this; null if no screen of that time is left. */
  at: number | null;
  source: "output" | "stored" | "none";
  state: string | null;
  cause: string | null;
  lines: string[];
}

interface Change {
  session: AgentSession;
  screen: StoredScreen;
}

export class ScreenKeeper {
  readonly #parts: Pick<DaemonParts, "loop" | "paths">;
  readonly #store: ScreenStore | null;
  readonly #unsubscribe: () => void;
  /** The last stored state per session. */
  readonly #last = new Map<string, { verdict: string; at: number }>();
  readonly #waiting: Change[] = [];
  #isReading = false;

  constructor(parts: Pick<DaemonParts, "loop" | "paths">) {
    this.#parts = parts;
    this.#store = storeIn(join(parts.paths.state, "screens.db"));
    this.#unsubscribe = parts.loop.subscribe((event, now) => {
      if (event.kind !== "assessed") return;
      const { session, assessment } = event.judge;
      const verdict = `${assessment.state}/${assessment.cause}`;
      const last = this.#last.get(session.id);
      if (session.endedAt !== null) this.#last.delete(session.id);
      else if (last?.verdict === verdict) return;
      else if (last && now - last.at < LEAST_MS) return;
      else this.#last.set(session.id, { verdict, at: now });
      this.#keep({ session, screen: { at: now, state: assessment.state, cause: assessment.cause } });
    });
  }

  /** The latest first. */
  list(agent: string): StoredScreen[] {
    return this.#store?.list(agent) ?? [];
  }

  async at(session: AgentSession, at: number): Promise<ScreenAt> {
    const stored = this.#store?.before(session.name, at) ?? null;
    const { state = null, cause = null } = stored ?? {};
    const lines = at < session.startedAt ? null : await this.#drawnAt(session, at);
    if (lines !== null) return { at, source: "output", state, cause, lines };
    if (stored) return { at: stored.at, source: "stored", state, cause, lines: stored.rows };
    return { at: null, source: "none", state: null, cause: null, lines: [] };
  }

  close(): void {
    this.#unsubscribe();
    this.#store?.close();
  }

  async #drawnAt(session: AgentSession, until: number): Promise<string[] | null> {
    const { hostSocket } = session;
    if (hostSocket === null || session.endedAt !== null) return null;
    const asked = await askHostProcess(hostSocket, { op: "logs", follow: false, until }, "snapshot", ANSWER_MS);
    if (asked.kind !== "answer") return null;
    const { data, cols, rows } = asked.event;
    const size = { cols: Number(cols) || 80, rows: Number(rows) || 24 };
    const bytes = Buffer.from(String(data), "base64");
    return paintApart({ bytes, size, lines: size.rows }).catch(() => null);
  }

  #keep(change: Change): void {
    if (this.#store === null || this.#waiting.length >= WAITING_MAX) return;
    this.#waiting.push(change);
    if (!this.#isReading) void this.#read();
  }

  /** One after the other: pictures must not delay what they picture. */
  async #read(): Promise<void> {
    this.#isReading = true;
    for (let change = this.#waiting.shift(); change; change = this.#waiting.shift()) {
      const { session, screen } = change;
      try {
        const rows = await this.#rowsOf(session);
        if (rows) this.#store?.add(session.name, screen, rows.slice(-ROWS_MAX).map(storedRow));
      } catch {
        // A picture that cannot be taken or stored is missing; the page says so.
      }
    }
    this.#isReading = false;
  }

  async #rowsOf(session: AgentSession): Promise<string[] | null> {
    const { paths } = this.#parts;
    if (session.endedAt !== null) {
      const record = findRecord(paths, session.id);
      const bytes = record ? keptBytes(paths, session.id) : null;
      const size = { cols: record?.cols ?? 80, rows: record?.rows ?? 24 };
      return bytes && paintApart({ bytes, size, lines: size.rows });
    }
    if (session.hostSocket !== null) {
      const asked = await askHostProcess(session.hostSocket, { op: "rows" }, "rows", ANSWER_MS);
      const rows = asked.kind === "answer" ? asked.event.rows : null;
      return Array.isArray(rows) ? rows.map(String) : null;
    }
    if (!session.pane || !PANE_ID.test(session.pane.id)) return null;
    const outcome = await new PollLink(session.pane.socket).run([["capture-pane", "-p", "-t", session.pane.id]]);
    return outcome.kind === "answer" ? (outcome.replies[0]?.split("\n") ?? null) : null;
  }
}

const storedRow = (row: string): string => redact(sanitizeLine(row.slice(0, ROW_MAX)));

/** Null on a full or read-only disk: then there are no pictures of earlier times. */
function storeIn(path: string): ScreenStore | null {
  try {
    return new ScreenStore(path);
  } catch {
    return null;
  }
}
