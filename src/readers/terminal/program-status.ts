/**
 * OSC 7501, the Program Status Protocol: `state=blocked:app=codex:kind=permission:msg=<base64>`. Codex writes it
 * without a query, Claude Code after its terminal answered the query. It shows the edges of a turn exactly; it does not
 * show hangs, retries or stuck tools, which all stay `working`, and a question in plain text is `done`.
 */
import { digest } from "../../core/digest.js";
import type { Signal, StatusSignal } from "../../core/signal.js";
import type { PromptKind } from "../../core/states.js";
import { classifyVendorError, finalCause } from "../records/vendor-errors.js";
import { readResetTime } from "../reset-time/reset-time.js";

const STATES = new Set(["working", "idle", "blocked", "done", "error", "clear"]);
const PROMPTS: Record<string, PromptKind> = {
  permission: "permission",
  question: "input",
  plan: "plan",
  trust: "trust",
  login: "login",
};

/** Nothing for the query (`?`) and for malformed data. An error's message shows the kind of error. */
export function readProgramStatus(data: string, at: number, context: { readonly zone: string }): Signal[] {
  const status = readStatus(data, at);
  if (!status) return [];
  if (status.status !== "error" || !status.text) return [status];
  const { text } = status;
  const verdict = classifyVendorError({ text });
  if (verdict.kind === "limit") {
    const until = readResetTime(text, at, context.zone)?.until;
    return [
      status,
      { kind: "limit", at, source: "program_status", level: "hit", text, ...(until === undefined ? {} : { until }) },
    ];
  }
  return [
    status,
    {
      kind: "error",
      at,
      source: "program_status",
      cause: finalCause(verdict),
      final: true,
      digest: digest(text),
      text,
    },
  ];
}

/** The state alone; null for the query and for malformed data. */
export function statusOf(data: string): string | null {
  return readStatus(data, 0)?.status ?? null;
}

function readStatus(data: string, at: number): StatusSignal | null {
  const fields = new Map<string, string>();
  for (const part of data.split(":").slice(0, 16)) {
    const cut = part.indexOf("=");
    if (cut > 0) fields.set(part.slice(0, cut), part.slice(cut + 1));
  }
  const state = fields.get("state");
  if (!state || !STATES.has(state)) return null;
  const prompt = PROMPTS[fields.get("kind") ?? ""];
  const text = decode(fields.get("msg"));
  return {
    kind: "status",
    at,
    source: "program_status",
    status: state as StatusSignal["status"],
    ...(state === "blocked" ? { prompt: prompt ?? "confirmation" } : {}),
    ...(text ? { text } : {}),
  };
}

function decode(message: string | undefined): string | undefined {
  if (!message || !/^[A-Za-z0-9+/=_-]+$/.test(message)) return undefined;
  const text = Buffer.from(message, "base64").toString("utf8").slice(0, 300);
  return text.includes("\uFFFD") ? undefined : text;
}
