/** One session that is judged by what hooks, a transcript and a rollout report together; times in seconds. */
import { type Assessment, assess } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { Signal } from "../../src/core/signal.js";
import { PLAIN_TRAITS } from "../../src/core/traits.js";
import { ClaudeHookReader } from "../../src/programs/claude-code/readers/hooks.js";
import { ClaudeTranscriptReader } from "../../src/programs/claude-code/readers/transcript.js";
import { CodexRolloutReader } from "../../src/programs/codex/readers/rollout.js";
import type { ClaudeLines } from "./claude-lines.js";
import { START } from "./steps.js";

export const at = (t: number): number => START + t * 1000;

export class JudgeRig {
  readonly evidence = createEvidence({ ...PLAIN_TRAITS, backgroundWakes: true });
  readonly hooks = new ClaudeHookReader();
  file = new ClaudeTranscriptReader();
  readonly codex = new CodexRolloutReader();
  take(signals: Signal[]): this {
    for (const s of signals) takeSignal(this.evidence, s);
    return this;
  }
  hook(t: number, event: string, payload: object = {}): this {
    return this.take(this.hooks.read({ hook_event_name: event, session_id: "s1", ...payload }, at(t)));
  }
  lines(lines: ClaudeLines): this {
    for (const line of lines.text.trim().split("\n")) {
      const r = JSON.parse(line);
      this.take(this.file.read(r, Date.parse(r.timestamp)));
    }
    return this;
  }
  rollout(t: number, type: string, payload: object): this {
    return this.take(this.codex.read({ timestamp: new Date(at(t)).toISOString(), type, payload }, at(t)));
  }
  at(t: number): string {
    const { state, cause } = assess(this.evidence, at(t));
    return cause ? `${state}/${cause}` : state;
  }
  full(t: number): Assessment {
    return assess(this.evidence, at(t));
  }
}
