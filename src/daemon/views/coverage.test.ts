import { expect, it } from "vitest";
import { agent } from "../../../test/support/loops.js";
import { START, screen } from "../../../test/support/steps.js";
import type { AgentSession } from "../../core/agent.js";
import { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { coverageOf } from "./coverage.js";

const PROCESS = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 100 } as const;
const HOOK = { kind: "turn", source: "hook", phase: "start", byUser: true } as const;
const RECORD = { kind: "turn", source: "transcript", phase: "start", byUser: true } as const;
const EXIT = { kind: "exit", source: "process", code: 0, signal: null } as const;

function coverage(signals: readonly Omit<Signal, "at">[], more: Partial<AgentSession> = {}) {
  const judge = new SessionJudge(agent({ kind: "claude-code", pid: 42, ...more }), START);
  judge.take(
    signals.map((signal) => ({ ...signal, at: START }) as Signal),
    START,
  );
  const { available, missing } = coverageOf(judge, START);
  return { available, missing: missing.map(({ name }) => name) };
}

it.each<[string, readonly Omit<Signal, "at">[], Partial<AgentSession>, string[], string[]]>([
  ["nothing yet", [], {}, [], ["transcript", "hooks", "process"]],
  ["everything", [screen({}), RECORD, HOOK, PROCESS], {}, ["screen", "transcript", "hooks", "process"], []],
  ["no process", [screen({}), RECORD, HOOK], {}, ["screen", "transcript", "hooks"], ["process"]],
  ["an end, after which no process is missed", [RECORD, HOOK, EXIT], {}, ["transcript", "hooks"], []],
  ["no process whose number it could know", [RECORD, HOOK], { pid: null }, ["transcript", "hooks"], ["process"]],
  ["a program without hooks and transcript", [PROCESS], { kind: "generic" }, ["process"], []],
  [
    "another terminal",
    [RECORD, HOOK, PROCESS],
    { origin: "transcript" },
    ["transcript", "hooks", "process"],
    ["screen"],
  ],
])("of an agent that shows %s, each source is available or missing", (_, signals, more, available, missing) => {
  expect(coverage(signals, more)).toEqual({ available, missing });
});
