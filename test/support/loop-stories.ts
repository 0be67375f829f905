/** Histories of tool calls for the loop rules, under a clock that the test moves. */
import { digest } from "../../src/core/digest.js";
import { createLoop, type LoopVerdict, loopVerdict, takeLoop } from "../../src/core/judgement/evidence/loop.js";
import type { InfraClass, Signal, ToolClass } from "../../src/core/signal.js";

export interface Call {
  tool?: string;
  class?: ToolClass;
  args?: string;
  result?: string;
  raw?: string;
  stable?: string;
  fails?: string;
  infra?: InfraClass;
  effect?: string;
  subject?: string;
  span?: { from: number; to: number };
  background?: boolean;
  poll?: boolean;
  round?: string;
  /** Milliseconds of silence before the call, and its duration. */
  after?: number;
  takes?: number;
}

/** A clock over signals: each call starts two seconds after the last event and takes one. */
export class Story {
  readonly signals: Signal[] = [];
  #at = 0;
  #id = 0;

  start(call: Call): string {
    this.#at += call.after ?? 2000;
    const id = `id${++this.#id}`;
    this.signals.push({
      kind: "tool_start",
      at: this.#at,
      source: "stream",
      id,
      tool: call.tool ?? "Bash",
      class: call.class ?? "shell",
      call: digest(`${call.tool} ${call.args}`),
      ...(call.effect === undefined ? {} : { effect: call.effect }),
      ...(call.subject === undefined ? {} : { subject: call.subject }),
      ...(call.span === undefined ? {} : { span: call.span }),
      ...(call.background === undefined ? {} : { background: call.background }),
      ...(call.poll === undefined ? {} : { poll: call.poll }),
      ...(call.round === undefined ? {} : { round: call.round }),
    });
    return id;
  }

  end(id: string, call: Call): this {
    this.#at += call.takes ?? 1000;
    this.signals.push({
      kind: "tool_end",
      at: this.#at,
      source: "stream",
      id,
      ok: call.fails === undefined,
      outcome: digest(call.fails ?? call.result ?? ""),
      raw: digest(call.raw ?? call.fails ?? call.result ?? ""),
      ...(call.fails === undefined ? {} : { error: digest(call.fails) }),
      ...(call.stable === undefined ? {} : { stable: call.stable }),
      ...(call.infra === undefined ? {} : { infra: call.infra }),
    });
    return this;
  }

  call(call: Call): this {
    return this.end(this.start(call), call);
  }

  say(signal: Partial<Signal> & { kind: Signal["kind"] }, after = 1000): this {
    this.#at += after;
    this.signals.push({ source: "stream", ...signal, at: this.#at } as Signal);
    return this;
  }

  times(count: number, add: (story: this, i: number) => unknown): this {
    for (let i = 0; i < count; i++) add(this, i);
    return this;
  }

  /** The verdict after each signal. */
  verdicts(): (LoopVerdict | null)[] {
    const state = createLoop();
    return this.signals.map((signal) => {
      takeLoop(state, signal);
      return loopVerdict(state, signal.at);
    });
  }

  first(): LoopVerdict | undefined {
    return this.verdicts().find((verdict) => verdict !== null) ?? undefined;
  }

  last(): LoopVerdict | null {
    return this.verdicts().at(-1) ?? null;
  }
}

export const story = (): Story => new Story();
export const read = (file: string, result = `body of ${file}`): Call => ({
  tool: "Read",
  class: "instant",
  args: file,
  result,
});
export const user: { kind: "message"; role: "user"; digest: string } = { kind: "message", role: "user", digest: "u" };
export const said = (text: string): Partial<Signal> & { kind: "message" } => ({
  kind: "message",
  role: "assistant",
  digest: text,
});
