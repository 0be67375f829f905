/** The Chat Completions API of OpenAI, as OpenCode, Qwen Code (a fork of Gemini CLI) and most others speak it. */
import type { ServerResponse } from "node:http";
import type { FailureKind, HttpFailure, ToolCall } from "./script.js";
import { type Asked, type Dialect, EventStream, newId, tokensOf, type Wire } from "./wire.js";

type Called = { name: string; input: unknown };

/** The clients are told apart by the tools that they offer. */
function argumentsOf(call: ToolCall, folder: string, offered: ReadonlySet<string>): Called {
  return offered.has("bash") ? forOpenCode(call, folder) : forQwenCode(call, folder);
}

function forOpenCode(call: ToolCall, folder: string): Called {
  switch (call.tool) {
    case "read":
      return { name: "read", input: { filePath: `${folder}/${call.path}` } };
    case "shell":
      return { name: "bash", input: { command: call.command, description: "Run a command" } };
    case "mcp":
      return { name: `${call.server}_${call.name}`, input: call.input };
    case "ask": {
      const options = call.options.map((label) => ({ label, description: label }));
      return { name: "question", input: { questions: [{ question: call.question, header: "Choice", options }] } };
    }
  }
}

function forQwenCode(call: ToolCall, folder: string): Called {
  switch (call.tool) {
    case "read":
      return { name: "read_file", input: { file_path: `${folder}/${call.path}` } };
    case "shell":
      return { name: "run_shell_command", input: { command: call.command, is_background: false } };
    case "mcp":
      return { name: `mcp__${call.server}__${call.name}`, input: call.input };
    case "ask": {
      const options = call.options.map((label) => ({ label, description: label }));
      const question = { question: call.question, header: "Choice", options, multiSelect: false };
      return { name: "ask_user_question", input: { questions: [question] } };
    }
  }
}

class ChatWire implements Wire {
  readonly #stream: EventStream;
  readonly #id = newId("chatcmpl");
  readonly #model: unknown;
  readonly #folder: string;
  readonly #offered: ReadonlySet<string>;
  #block: "text" | "think" = "text";
  #calls = 0;
  #tokens = 0;

  constructor(response: ServerResponse, model: unknown, folder: string, offered: ReadonlySet<string>) {
    this.#stream = new EventStream(response);
    this.#model = model;
    this.#folder = folder;
    this.#offered = offered;
  }

  open(): void {
    this.#stream.open();
    this.#delta({ role: "assistant", content: "" });
  }

  begin(block: "text" | "think"): void {
    this.#block = block;
  }

  delta(text: string): void {
    this.#tokens += tokensOf(text);
    this.#delta(this.#block === "text" ? { content: text } : { reasoning_content: text });
  }

  finish(): void {}

  call(tool: ToolCall): void {
    const { name, input } = argumentsOf(tool, this.#folder, this.#offered);
    const json = JSON.stringify(input);
    this.#tokens += tokensOf(json);
    const index = this.#calls++;
    this.#delta({ tool_calls: [{ index, id: newId("call"), type: "function", function: { name, arguments: json } }] });
  }

  ping(): void {
    this.#stream.note("ping");
  }

  breakOff(type: string, message: string): void {
    this.#stream.data({ error: { type, message } });
    this.#stream.close();
  }

  end(): void {
    this.#delta({}, this.#calls > 0 ? "tool_calls" : "stop");
    const usage = { prompt_tokens: 1200, completion_tokens: this.#tokens, total_tokens: 1200 + this.#tokens };
    this.#stream.data({ ...this.#chunk([]), usage });
    this.#stream.data("[DONE]");
    this.#stream.close();
  }

  #delta(delta: Record<string, unknown>, finish: string | null = null): void {
    this.#stream.data(this.#chunk([{ index: 0, delta, finish_reason: finish }]));
  }

  #chunk(choices: unknown[]): Record<string, unknown> {
    return { id: this.#id, object: "chat.completion.chunk", created: 1, model: this.#model, choices };
  }
}

const error = (status: number, body: Record<string, unknown>, headers: Record<string, string> = {}): HttpFailure => ({
  status,
  headers,
  body: { error: body },
});

const FAILURES: Record<FailureKind, (resetsAt: Date) => HttpFailure> = {
  overloaded: () => error(503, { type: "server_error", code: "overloaded", message: "The model is overloaded." }),
  server_error: () => error(500, { type: "server_error", message: "The server had an error." }),
  auth: () => error(401, { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key." }),
  rate_limit: (at) =>
    error(
      429,
      { type: "rate_limit", code: "rate_limit_exceeded", message: "Rate limit reached." },
      { "retry-after": String(Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000))) },
    ),
  usage_limit: () =>
    error(429, {
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota, please check your plan and billing details.",
    }),
};

/** Its file tool accepts only absolute paths, and the prompt names the folder. */
function folderIn(messages: unknown): string {
  const said = JSON.stringify(messages ?? "");
  return /(?:working in (?:the )?directory|[Ww]orking directory)[^/]{0,40}(\/[^\s"\\`]+)/.exec(said)?.[1] ?? "";
}

function offeredBy(tools: unknown): ReadonlySet<string> {
  const all = Array.isArray(tools) ? (tools as { function?: { name?: string } }[]) : [];
  return new Set(all.map((tool) => tool.function?.name ?? ""));
}

export const CHAT: Dialect = {
  path: /^\/v1\/chat\/completions$/,
  ask: (body, response): Asked => ({
    isSide: !Array.isArray(body.tools) || body.tools.length === 0,
    goOn: null,
    wire: new ChatWire(response, body.model, folderIn(body.messages), offeredBy(body.tools)),
  }),
  failure: (kind, resetsAt) => FAILURES[kind](resetsAt),
};
