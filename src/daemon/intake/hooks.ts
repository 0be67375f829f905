/** Finds the session of a hook payload and turns the payload into signals, for the port and the socket. */
import { rememberBounded } from "../../core/judgement/evidence/bounded.js";
import type { Signal } from "../../core/signal.js";
import type { ProgramReaders } from "../../programs/program.js";
import { stringAt } from "../../readers/records/json.js";
import type { ReadContext, RecordReader } from "../../readers/records/record-reader.js";
import type { Loop } from "../loop.js";
import { findCaller } from "./callers.js";

const READERS_MAX = 1000;

export class Hooks {
  readonly #loop: Loop;
  readonly #context: ReadContext;
  readonly #readersFor: (kind: string) => ProgramReaders;
  /** One per session and program: readers keep state between payloads. */
  readonly #readers = new Map<string, RecordReader>();

  constructor(loop: Loop, context: ReadContext, readersFor: (kind: string) => ProgramReaders) {
    this.#loop = loop;
    this.#context = context;
    this.#readersFor = readersFor;
  }

  /**
   * Null if no agent matches, or if the sender may not report about it. Else the signals, and a promise for their storage: a caller that blocks an agent does not
   * await it.
   */
  take(
    program: string,
    payload: unknown,
    from: { session?: string | undefined; pid?: number | undefined },
    mayReport: (agent: string) => boolean = () => true,
  ): { stored: Promise<unknown> } | null {
    const judge = findCaller(this.#loop, {
      ...from,
      process: from.pid,
      conversation: stringAt(payload, "session_id") ?? stringAt(payload, "thread-id"),
      cwd: stringAt(payload, "cwd"),
      kind: program,
    });
    if (!judge || !mayReport(judge.session.name)) return null;
    const { id: session } = judge.session;
    const signals = this.#read(session, program, payload, this.#loop.now());
    return { stored: signals.length > 0 ? this.#loop.ingest(session, null, signals) : Promise.resolve() };
  }

  #read(session: string, program: string, payload: unknown, at: number): Signal[] {
    const key = `${session} ${program}`;
    const reader = this.#readers.get(key) ?? this.#readersFor(program).hook?.(this.#context);
    if (!reader) return [];
    rememberBounded(this.#readers, key, reader, READERS_MAX);
    return reader.read(payload, at);
  }
}
