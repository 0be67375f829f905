/** Random sessions: signals of every kind, in any order. */
import fc from "fast-check";
import { type Signal, SOURCES, TOOL_CLASSES } from "../../src/core/signal.js";
import { ERROR_CAUSES, PROMPT_KINDS } from "../../src/core/states.js";

const id = fc.constantFrom("a", "b", "c");
const text = fc.string({ maxLength: 12 });
const flag = fc.boolean();
const infra = fc.constantFrom("rate", "overload", "network", "refused", "auth");
const record = (kind: string, fields: Record<string, fc.Arbitrary<unknown>> = {}, required: string[] = []) => {
  const all: Record<string, fc.Arbitrary<unknown>> = { ...fields, kind: fc.constant(kind) };
  return fc.record(all, { requiredKeys: ["kind", ...required] });
};

/** Every kind of signal with any of its fields; required fields are always set. */
const body = fc.oneof(
  record("session", { version: text, permissions: fc.constantFrom("asking", "bypass") }),
  record("status", { status: fc.constantFrom("working", "idle", "blocked", "done", "error", "clear"), text }, [
    "status",
  ]),
  record("turn", { phase: fc.constantFrom("start", "end", "interrupted"), byUser: flag, presumed: flag }, ["phase"]),
  record(
    "tool_start",
    {
      id,
      tool: text,
      class: fc.constantFrom(...TOOL_CLASSES),
      call: id,
      subject: text,
      after: id,
      timeoutMs: fc.integer(),
    },
    ["id", "tool", "class", "call"],
  ),
  record("tool_end", { id, ok: flag, outcome: id, raw: id, error: id, infra, refused: flag, background: flag }, [
    "id",
    "ok",
    "outcome",
    "raw",
  ]),
  record(
    "message",
    {
      role: fc.constantFrom("user", "assistant"),
      digest: id,
      closing: fc.constantFrom("question", "offer", "promise", "result"),
      preview: text,
    },
    ["role", "digest"],
  ),
  record("delta", { channel: fc.constantFrom("content", "thought"), chars: fc.nat() }, ["channel", "chars"]),
  record("repetition", { channel: fc.constant("content"), period: fc.nat(), repeats: fc.nat(30) }, [
    "channel",
    "period",
    "repeats",
  ]),
  record("request"),
  record("tokens", { input: fc.nat(), output: fc.nat() }, ["input", "output"]),
  record("retry", { attempt: fc.nat(12), max: fc.nat(12), infra, text }),
  record("limit", { level: fc.constantFrom("warning", "hit", "cleared"), until: fc.nat(), full: flag }, ["level"]),
  record("error", { cause: fc.constantFrom(...ERROR_CAUSES), final: flag, digest: id, text }, [
    "cause",
    "final",
    "digest",
  ]),
  record("prompt", { open: flag, prompt: fc.constantFrom(...PROMPT_KINDS), question: text }, ["open"]),
  record("compaction", { phase: fc.constantFrom("start", "end") }, ["phase"]),
  record("output", { bytes: fc.nat() }, ["bytes"]),
  record("process", { alive: flag, children: fc.nat(9), cpuMs: fc.nat(), receivedBytes: fc.nat() }, [
    "alive",
    "children",
    "cpuMs",
  ]),
  record("file", { path: id, digest: id }, ["path"]),
  record("commit", { id }, ["id"]),
  record("test", { ok: flag, digest: id }, ["ok"]),
  record("checkpoint", { step: fc.nat(9) }),
  record("claim", { task: id, phase: fc.constantFrom("taken", "renewed", "released") }, ["task", "phase"]),
  record("report", { state: fc.constantFrom("working", "error", "complete", "needs_input"), heartbeat: flag, text }),
  record("queue", { op: fc.constantFrom("enqueue", "dequeue") }, ["op"]),
  record("input", { by: fc.constantFrom("human", "rouse"), bytes: fc.nat(9), quits: flag, submits: flag }, [
    "by",
    "bytes",
  ]),
  record("exit", { code: fc.option(fc.nat(255)), signal: fc.option(fc.nat(31)) }, ["code", "signal"]),
  record(
    "screen",
    {
      reading: fc.record(
        {
          reply: id,
          lastLine: id,
          busy: fc.option(flag),
          moving: flag,
          composer: fc.constantFrom("empty", "draft", "hidden"),
          tokens: fc.nat(),
          compacting: flag,
          ended: flag,
          interrupted: flag,
          closing: fc.constantFrom("question", "offer", "promise", "result"),
          tool: fc.constant({ class: "shell" }),
          dialog: fc.constant({ prompt: "permission", question: "Run it?" }),
          error: fc.constant({ cause: "api", text: "API Error" }),
          limit: fc.constant({ text: "limit" }),
          retry: fc.constant({ text: "Retrying", attempt: 1 }),
        },
        { requiredKeys: ["reply", "lastLine", "busy", "moving", "composer"] },
      ),
    },
    ["reading"],
  ),
);

/** A session: signals with growing times, some minutes apart, from seconds to half a day. */
export const anySession: fc.Arbitrary<Signal[]> = fc
  .array(fc.tuple(body, fc.constantFrom(...SOURCES), fc.constantFrom(0, 400, 3000, 40_000, 700_000, 40_000_000)), {
    maxLength: 40,
  })
  .map((steps) => {
    let at = 1_700_000_000_000;
    return steps.map(([fields, source, later]) => {
      at += later;
      return { ...(fields as object), at, source } as Signal;
    });
  });
