/**
 * Validates signals from files and from the network once, here; inside rouse they are plain types. Unknown fields of a
 * newer rouse are dropped, unknown kinds are refused one by one.
 */
import * as z from "zod";
import { SIGNAL_VERSION, type Signal, type SignalKind, SOURCES, TOOL_CLASSES, WORK_CLASSES } from "../core/signal.js";
import { ERROR_CAUSES, PROMPT_KINDS } from "../core/states.js";

const text = z.string().max(4000);
const name = z.string().max(400);
const count = z.number().min(0);
const base = { at: z.number(), source: z.enum(SOURCES) };
const prompt = z.enum(PROMPT_KINDS);
const infra = z.enum(["rate", "overload", "network", "refused", "auth"]);
const closing = z.enum(["question", "offer", "promise", "result"]);
const channel = z.enum(["content", "thought"]);

/** Buckets of `core/judgement/learned.ts`, and counts that it halves. */
const gaps = z.array(z.tuple([z.int().min(0).max(95), z.int().min(1).max(2048)])).max(96);

const reading = z.object({
  reply: name,
  lastLine: name,
  busy: z.boolean().nullable(),
  moving: z.boolean(),
  tokens: count.optional(),
  elapsed: count.optional(),
  composer: z.enum(["empty", "draft", "hidden"]),
  caret: z.enum(["text", "question", "sign"]).optional(),
  cut: z.literal(true).optional(),
  prints: z.boolean().optional(),
  dialog: z
    .object({ prompt, question: text, limit: z.boolean().optional(), userOnly: z.boolean().optional() })
    .optional(),
  tool: z.object({ class: z.enum(TOOL_CLASSES), subject: text.optional() }).optional(),
  compacting: z.boolean().optional(),
  retry: z
    .object({
      attempt: count.optional(),
      max: count.optional(),
      delayMs: count.optional(),
      infra: infra.optional(),
      text,
    })
    .optional(),
  limit: z.object({ until: z.number().optional(), resumesItself: z.boolean().optional(), text }).optional(),
  error: z.object({ cause: z.enum(ERROR_CAUSES), text }).optional(),
  failure: z
    .object({
      limit: z.boolean().optional(),
      until: z.number().optional(),
      cause: z.enum(ERROR_CAUSES).optional(),
      text,
      earlier: z.boolean().optional(),
    })
    .optional(),
  marker: z.boolean().optional(),
  marked: z.boolean().optional(),
  closing: closing.optional(),
  asks: text.optional(),
  replying: z.boolean().optional(),
  ended: z.boolean().optional(),
  interrupted: z.boolean().optional(),
  background: count.optional(),
  repeats: z.object({ digest: text, times: count, rows: count, text }).optional(),
  retriesSilently: z.boolean().optional(),
  structural: z.boolean().optional(),
  tail: z.array(text).max(50).optional(),
});

/** One schema per kind: a kind that is added to the vocabulary does not compile until it has one. */
const SCHEMAS: { readonly [K in SignalKind]: z.ZodType } = {
  session: z.object({
    ...base,
    kind: z.literal("session"),
    id: name.optional(),
    version: name.optional(),
    cwd: text.optional(),
    model: name.optional(),
    effort: name.optional(),
    permissions: z.enum(["asking", "bypass"]).optional(),
    child: name.nullable().optional(),
  }),
  status: z.object({
    ...base,
    kind: z.literal("status"),
    status: z.enum(["working", "idle", "blocked", "done", "error", "clear"]),
    prompt: prompt.optional(),
    text: text.optional(),
    asks: text.optional(),
    background: count.optional(),
  }),
  supervisor: z.object({ ...base, kind: z.literal("supervisor"), id: name, holds: z.boolean() }),
  turn: z.object({
    ...base,
    kind: z.literal("turn"),
    phase: z.enum(["start", "end", "interrupted"]),
    byUser: z.boolean().optional(),
    presumed: z.boolean().optional(),
    background: count.optional(),
    scheduled: count.optional(),
  }),
  tool_start: z.object({
    ...base,
    kind: z.literal("tool_start"),
    id: name,
    tool: name,
    class: z.enum(TOOL_CLASSES),
    call: name,
    near: name.optional(),
    subject: text.optional(),
    todos: z.object({ done: count, of: count, last: text.optional() }).optional(),
    effect: name.optional(),
    after: name.optional(),
    timeoutMs: count.optional(),
    limitMs: count.optional(),
    background: z.boolean().optional(),
    poll: z.boolean().optional(),
    span: z.object({ from: z.number(), to: z.number(), file: text.optional() }).optional(),
    round: name.optional(),
    partial: z.boolean().optional(),
    asks: z.boolean().optional(),
    edgeOnly: z.boolean().optional(),
    nested: z.boolean().optional(),
  }),
  tool_end: z.object({
    ...base,
    kind: z.literal("tool_end"),
    id: name,
    ok: z.boolean(),
    outcome: name,
    raw: name,
    stable: name.optional(),
    error: name.optional(),
    infra: infra.optional(),
    refused: z.boolean().optional(),
    interrupted: z.boolean().optional(),
    edgeOnly: z.boolean().optional(),
    background: z.boolean().optional(),
    timer: z.object({ inMs: count.optional(), repeats: z.boolean().optional() }).optional(),
    asks: text.optional(),
    preview: text.optional(),
  }),
  message: z.object({
    ...base,
    kind: z.literal("message"),
    role: z.enum(["user", "assistant"]),
    digest: name,
    closing: closing.optional(),
    preview: text.optional(),
    marker: z.boolean().optional(),
    checkpoints: z
      .array(z.object({ task: count.optional(), step: count.optional(), text }))
      .max(5)
      .optional(),
    own: z.boolean().optional(),
    newSession: z.boolean().optional(),
    request: text.optional(),
  }),
  delta: z.object({ ...base, kind: z.literal("delta"), channel, chars: count }),
  repetition: z.object({
    ...base,
    kind: z.literal("repetition"),
    channel,
    period: count,
    repeats: count,
    preview: text.optional(),
  }),
  request: z.object({ ...base, kind: z.literal("request") }),
  tokens: z.object({ ...base, kind: z.literal("tokens"), input: count, output: count, costUsd: count.optional() }),
  retry: z.object({
    ...base,
    kind: z.literal("retry"),
    attempt: count.optional(),
    max: count.optional(),
    nextAt: z.number().optional(),
    infra: infra.optional(),
    text: text.optional(),
  }),
  limit: z.object({
    ...base,
    kind: z.literal("limit"),
    level: z.enum(["warning", "hit", "cleared"]),
    until: z.number().optional(),
    resumesItself: z.boolean().optional(),
    full: z.boolean().optional(),
    text: text.optional(),
  }),
  error: z.object({
    ...base,
    kind: z.literal("error"),
    cause: z.enum(ERROR_CAUSES),
    final: z.boolean(),
    digest: name,
    text: text.optional(),
  }),
  prompt: z.object({
    ...base,
    kind: z.literal("prompt"),
    open: z.boolean(),
    prompt: prompt.optional(),
    question: text.optional(),
  }),
  compaction: z.object({ ...base, kind: z.literal("compaction"), phase: z.enum(["start", "end"]) }),
  screen: z.object({ ...base, kind: z.literal("screen"), reading }),
  output: z.object({ ...base, kind: z.literal("output"), bytes: count }),
  process: z.object({
    ...base,
    kind: z.literal("process"),
    alive: z.boolean().nullable(),
    children: count,
    cpuMs: count,
    childCpuMs: count.optional(),
    childIoBytes: count.optional(),
    receivedBytes: count.optional(),
    sockets: count.optional(),
    connection: z.enum(["asks", "open"]).optional(),
    stopped: z.boolean().optional(),
    newestChildAt: z.number().optional(),
    terminalReaderAt: z.number().optional(),
  }),
  exit: z.object({
    ...base,
    kind: z.literal("exit"),
    code: z.number().nullable(),
    signal: z.number().nullable(),
    typedAt: z.number().optional(),
    adopted: z.literal(true).optional(),
  }),
  file: z.object({
    ...base,
    kind: z.literal("file"),
    path: text,
    digest: name.optional(),
    role: z.enum(["workspace", "devlog", "status", "inbox", "contract", "telemetry", "access"]).optional(),
  }),
  commit: z.object({ ...base, kind: z.literal("commit"), id: name, subject: text.optional() }),
  test: z.object({ ...base, kind: z.literal("test"), ok: z.boolean().nullable(), digest: name.optional() }),
  checkpoint: z.object({
    ...base,
    kind: z.literal("checkpoint"),
    task: name.optional(),
    step: count.optional(),
    text: text.optional(),
  }),
  claim: z.object({ ...base, kind: z.literal("claim"), task: name, phase: z.enum(["taken", "renewed", "released"]) }),
  report: z.object({
    ...base,
    kind: z.literal("report"),
    state: z.enum(["working", "error", "complete", "needs_input"]).optional(),
    heartbeat: z.boolean().optional(),
    text: text.optional(),
  }),
  queue: z.object({ ...base, kind: z.literal("queue"), op: z.enum(["enqueue", "dequeue"]), depth: count.optional() }),
  input: z.object({
    ...base,
    kind: z.literal("input"),
    by: z.enum(["human", "rouse", "client"]),
    bytes: count,
    quits: z.boolean().optional(),
    ordered: z.boolean().optional(),
    interrupts: z.boolean().optional(),
    submits: z.boolean().optional(),
  }),
  gap: z.object({
    ...base,
    kind: z.literal("gap"),
    from: z.number(),
    to: z.number(),
    lostMs: count.optional(),
    graceMs: count.optional(),
  }),
  sight: z.object({
    ...base,
    kind: z.literal("sight"),
    seen: z.boolean(),
    since: z.number().optional(),
    text: text.optional(),
    byReports: z.literal(true).optional(),
  }),
  habits: z.object({
    ...base,
    kind: z.literal("habits"),
    habits: z.array(z.object({ class: z.enum(WORK_CLASSES), head: name.optional(), gaps })).max(80),
  }),
};

/** A stored signal; null if it is invalid or has the vocabulary of a newer rouse. Never throws. */
export function parseSignal(value: unknown): Signal | null {
  const { kind, v } = typeof value === "object" && value !== null ? (value as { kind?: unknown; v?: unknown }) : {};
  if (typeof kind !== "string" || !Object.hasOwn(SCHEMAS, kind)) return null;
  if (v !== undefined && !(typeof v === "number" && v <= SIGNAL_VERSION)) return null;
  const parsed = SCHEMAS[kind as SignalKind].safeParse(value);
  return parsed.success ? (parsed.data as Signal) : null;
}
