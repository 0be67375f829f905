/** The Messages API of Anthropic, as Claude Code speaks it. */
import type { ServerResponse } from "node:http";
import type { FailureKind, HttpFailure, ToolCall } from "./script.js";
import { type Asked, type Dialect, EventStream, newId, tokensOf, type Wire } from "./wire.js";

type Block = { type: string } & Record<string, unknown>;

function blockOf(call: ToolCall): Block {
  const of = (name: string, input: unknown): Block => ({ type: "tool_use", id: newId("toolu"), name, input });
  switch (call.tool) {
    case "read":
      return of("Read", { file_path: call.path });
    case "shell":
      return of("Bash", {
        command: call.command,
        description: "Run a command",
        ...(call.background ? { run_in_background: true } : {}),
      });
    case "mcp":
      return of(`mcp__${call.server}__${call.name}`, call.input);
    case "ask": {
      const options = call.options.map((label) => ({ label, description: label }));
      return of("AskUserQuestion", {
        questions: [{ question: call.question, header: "Choice", options, multiSelect: false }],
      });
    }
  }
}

/** Streams on request; otherwise the whole message comes at the end, as after a failed stream. */
class MessageWire implements Wire {
  readonly #response: ServerResponse;
  readonly #stream: EventStream | null;
  readonly #model: unknown;
  readonly #content: Block[] = [];
  #tokens = 0;

  constructor(response: ServerResponse, model: unknown, isStreamed: boolean) {
    this.#response = response;
    this.#stream = isStreamed ? new EventStream(response) : null;
    this.#model = model;
  }

  open(): void {
    this.#stream?.open({ "request-id": newId("req") });
    this.#stream?.send({ type: "message_start", message: this.#message([], null) });
    this.ping();
  }

  begin(block: "text" | "think"): void {
    const empty: Block =
      block === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
    this.#start(empty);
  }

  delta(text: string): void {
    this.#tokens += tokensOf(text);
    const block = this.#content.at(-1) as Block;
    const field = block.type === "text" ? "text" : "thinking";
    block[field] = String(block[field]) + text;
    this.#delta({ type: `${field}_delta`, [field]: text });
  }

  finish(): void {
    if (this.#content.at(-1)?.type === "thinking") this.#delta({ type: "signature_delta", signature: "c2lnbmF0dXJl" });
    this.#stream?.send({ type: "content_block_stop", index: this.#content.length - 1 });
  }

  call(tool: ToolCall): void {
    const block = blockOf(tool);
    const json = JSON.stringify(block.input);
    this.#tokens += tokensOf(json);
    this.#start(block, { ...block, input: {} });
    this.#delta({ type: "input_json_delta", partial_json: json });
    this.finish();
  }

  ping(): void {
    this.#stream?.send({ type: "ping" });
  }

  breakOff(type: string, message: string): void {
    this.#stream?.send({ type: "error", error: { type, message } });
    this.#response.end();
  }

  end(): void {
    const reason = this.#content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
    if (this.#stream === null) {
      this.#response.writeHead(200, { "content-type": "application/json", "request-id": newId("req") });
      this.#response.end(JSON.stringify(this.#message(this.#content, reason)));
      return;
    }
    const usage = { output_tokens: this.#tokens };
    this.#stream.send({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage });
    this.#stream.send({ type: "message_stop" });
    this.#stream.close();
  }

  #start(block: Block, shown: Block = block): void {
    this.#content.push(block);
    this.#stream?.send({ type: "content_block_start", index: this.#content.length - 1, content_block: { ...shown } });
  }

  #delta(delta: Block): void {
    this.#stream?.send({ type: "content_block_delta", index: this.#content.length - 1, delta });
  }

  #message(content: readonly Block[], reason: string | null): Record<string, unknown> {
    const usage = { input_tokens: 1200, output_tokens: Math.max(1, this.#tokens) };
    return {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model: this.#model,
      content,
      stop_reason: reason,
      stop_sequence: null,
      usage: { ...usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    };
  }
}

const error = (status: number, type: string, message: string, headers: Record<string, string> = {}): HttpFailure => ({
  status,
  headers: { "request-id": newId("req"), ...headers },
  body: { type: "error", error: { type, message } },
});

const FAILURES: Record<FailureKind, (resetsAt: Date) => HttpFailure> = {
  overloaded: () => error(529, "overloaded_error", "Overloaded"),
  server_error: () => error(500, "api_error", "Internal server error"),
  auth: () => error(401, "authentication_error", "invalid x-api-key"),
  rate_limit: (at) =>
    error(429, "rate_limit_error", "This request would exceed the rate limit for your organization.", {
      "retry-after": String(Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000))),
    }),
  // A plan's limit; the header names are from the client itself.
  usage_limit: (at) => {
    const reset = String(Math.round(at.getTime() / 1000));
    return error(
      429,
      "rate_limit_error",
      "This request would exceed your account's rate limit. Please try again later.",
      {
        "retry-after": String(Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000))),
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": reset,
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": reset,
        "anthropic-ratelimit-unified-5h-utilization": "1.0",
        "anthropic-ratelimit-unified-overage-status": "rejected",
        "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled",
      },
    );
  },
};

export const ANTHROPIC: Dialect = {
  path: /^\/v1\/messages$/,
  ask: (body, response): Asked => ({
    // Only the conversation itself has tools.
    isSide: !Array.isArray(body.tools) || body.tools.length === 0,
    goOn: null,
    wire: new MessageWire(response, body.model, body.stream === true),
  }),
  failure: (kind, resetsAt) => FAILURES[kind](resetsAt),
};
