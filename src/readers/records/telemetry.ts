/**
 * The OpenTelemetry export of Claude Code and Codex, for one session. It has the content of the transcript some seconds
 * later, and the cost, which no transcript has. So it gives tokens and cost, liveness, prompts and failures. It gives
 * no turn edges (neither program exports the end of a turn) and no tool calls (Claude Code exports a call only after
 * its end, without its result).
 *
 * The events and the metrics contain the same tokens. The events count; the metrics count only until the first event,
 * and an event from a time that the metrics have already counted is not counted again.
 */
import { digest } from "../../core/digest.js";
import type { Signal } from "../../core/signal.js";
import { failureSignal } from "./conversation.js";
import { type Attributes, numericValue, type OtlpPoint, type OtlpRecord } from "./otlp.js";
import { RecentMap } from "./recent.js";
import { type ReaderOptions, SkipCounter } from "./record-reader.js";
import { Thread } from "./thread.js";
import type { VendorError } from "./vendor-errors.js";

/** Known events that the judgement does not use. */
const SILENT = new Set([
  "api_refusal",
  "api_request_body",
  "api_response_body",
  "api_retries_exhausted",
  "at_mention",
  "auth",
  "feedback_survey",
  "hook_execution_complete",
  "hook_execution_start",
  "hook_plugin_metrics",
  "hook_registered",
  "internal_error",
  "managed_settings_resolved",
  "mcp_server_connection",
  "permission_mode_changed",
  "plugin_installed",
  "plugin_loaded",
  "skill_activated",
  "tool_decision",
  "codex.auth_recovery",
  "codex.sandbox_outcome",
  "codex.startup_phase",
  "codex.tool_decision",
  "codex.turn_ttft",
  "codex.websocket_connect",
  "codex.websocket_event",
]);

/** Values of the query source that mean the session itself. */
const MAIN_SOURCES = new Set(["repl_main_thread", "sdk", "main"]);
const REDACTED = /^[<[]REDACTED[>\]]$/;
/** Events of a reply that only a writing model sends; a ping is not one. */
const WRITING = /delta|output_item|content_part|completed/;

type Tokens = "input" | "output" | "costUsd";

/** Types of tokens in the metrics. The other types of Codex (cached, reasoning, total) are included in these two. */
const TOKEN_TYPES: Readonly<Record<string, Tokens>> = {
  input: "input",
  cacheRead: "input",
  cacheCreation: "input",
  output: "output",
};
/** Metrics of tokens, and the attribute that names the type. */
const TOKEN_METRICS: Readonly<Record<string, string>> = {
  "claude_code.token.usage": "type",
  "codex.turn.token_usage": "token_type",
};
const COST_METRIC = "claude_code.cost.usage";

export class TelemetryReader {
  readonly skipped: SkipCounter = new SkipCounter();
  readonly #thread: Thread;
  #countsBy: "events" | "metrics" | null = null;
  /** The time up to which the metrics have counted. */
  #countedUntil = 0;
  /** The last value of each series that only grows. */
  readonly #totals = new RecentMap<number>(256);

  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions = {}) {
    this.#options = options;

    this.#thread = new Thread("telemetry", options);
  }

  read(record: OtlpRecord, at: number): Signal[] {
    const name = record.name.replace(/^claude_code\./, "");
    const handler = this.#handlers[name];
    if (handler === undefined) {
      if (name !== "" && !SILENT.has(name)) this.skipped.count(name);
      return [];
    }
    return this.#thread.collect(at, () => {
      this.#thread.learns({
        model: text(record.attributes, "model"),
        version: text(record.attributes, "app.version") ?? text(record.resource, "service.version"),
      });
      handler(record.attributes, at);
    });
  }

  /** The tokens of one batch of metrics. */
  count(points: readonly OtlpPoint[], at: number): Signal[] {
    const used = { input: 0, output: 0, costUsd: 0 };
    let until = 0;
    for (const point of points) {
      const what = this.#countedAs(point);
      if (what === null) continue;
      used[what] += Math.max(0, this.#growth(point));
      until = Math.max(until, point.at ?? at);
    }
    if (until === 0 || this.#countsBy === "events") return [];
    this.#countsBy = "metrics";
    this.#countedUntil = Math.max(this.#countedUntil, until);
    return this.#thread.collect(at, () => this.#thread.emit({ kind: "tokens", ...used }));
  }

  #countedAs({ name, attributes }: OtlpPoint): Tokens | null {
    if (name === COST_METRIC) return "costUsd";
    const type = Object.hasOwn(TOKEN_METRICS, name) ? text(attributes, TOKEN_METRICS[name] ?? "") : undefined;
    return type !== undefined && Object.hasOwn(TOKEN_TYPES, type) ? (TOKEN_TYPES[type] ?? null) : null;
  }

  /** The increase of a point. The first total of a series is its starting value. */
  #growth({ name, attributes, value, isCumulative }: OtlpPoint): number {
    if (!isCumulative) return value;
    const series = digest(name + [...attributes].map(([key, of]) => `${key}=${String(of)}`).join());
    const before = this.#totals.get(series);
    this.#totals.set(series, value);
    return before === undefined ? 0 : value - before;
  }

  readonly #handlers: Readonly<Record<string, (attributes: Attributes, at: number) => void>> = {
    __proto__: null as never,
    user_prompt: (a, at) => this.#prompted(a, at),
    "codex.user_prompt": (a, at) => this.#prompted(a, at),
    api_request: (a, at) =>
      this.#uses(at, {
        input: sum(a, "input_tokens", "cache_read_tokens", "cache_creation_tokens"),
        output: sum(a, "output_tokens"),
        costUsd: sum(a, "cost_usd"),
      }),
    assistant_response: (a) => this.#thread.lives(sum(a, "response_length")),
    tool_result: (a) => this.#thread.lives(sum(a, "tool_result_size_bytes")),
    compaction: () => this.#thread.emit({ kind: "compaction", phase: "end" }),
    api_error: (a, at) => this.#gaveUp(a, at),
    "codex.conversation_starts": () => {},
    "codex.api_request": (a) => this.#asked(a),
    "codex.websocket_request": (a) => this.#asked(a),
    "codex.sse_event": (a, at) => this.#streamed(a, at),
    "codex.tool_result": (a) => this.#thread.lives(text(a, "output")?.length ?? 0),
  };

  /** The text is present only if the user permits its export. */
  #prompted(a: Attributes, at: number): void {
    const prompt = text(a, "prompt") ?? "";
    if (prompt.trim() !== "" && !REDACTED.test(prompt)) this.#thread.says("user", prompt);
    else this.#thread.emit({ kind: "message", role: "user", digest: digest(text(a, "prompt.id") ?? String(at)) });
  }

  /** Codex retries by itself, and does not export that it gave up. */
  #asked(a: Attributes): void {
    const message = text(a, "error.message");
    const status = sum(a, "http.response.status_code");
    const attempt = sum(a, "attempt");
    if (message !== undefined || status >= 400)
      this.#thread.tries(failureOf(status, message), attempt > 0 ? { attempt } : {});
    else this.#thread.emit({ kind: "request" });
  }

  /** Each event of a reply; the last one is written twice, the second time with the tokens. */
  #streamed(a: Attributes, at: number): void {
    const message = text(a, "error.message");
    if (message !== undefined) this.#thread.tries(failureOf(0, message), {});
    else if (a.has("output_token_count"))
      this.#uses(at, { input: sum(a, "input_token_count"), output: sum(a, "output_token_count") });
    else if (WRITING.test(text(a, "event.kind")?.slice(0, 100) ?? "")) this.#thread.lives(0);
  }

  #uses(at: number, used: { input: number; output: number; costUsd?: number }): void {
    if (this.#countsBy === "metrics" && at <= this.#countedUntil) return;
    this.#countsBy = "events";
    this.#thread.emit({ kind: "tokens", ...used });
  }

  /** Written once, after all attempts. A subagent that gives up does not mean that the session gives up. */
  #gaveUp(a: Attributes, at: number): void {
    if (!MAIN_SOURCES.has(text(a, "query_source") ?? "main")) return;
    const failure = failureOf(sum(a, "status_code"), text(a, "error"));
    this.#thread.emit(failureSignal({ at, source: "telemetry" }, this.#options, failure));
  }
}

function failureOf(status: number, said: string | undefined): VendorError {
  return { text: said ?? `status ${status}`, ...(status > 0 ? { status } : {}) };
}

function text(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function sum(attributes: Attributes, ...keys: readonly string[]): number {
  return keys.reduce((total, key) => total + Math.max(0, numericValue(attributes.get(key)) ?? 0), 0);
}
