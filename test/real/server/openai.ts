/** The Responses API of OpenAI, as Codex speaks it. */
import type { ServerResponse } from "node:http";
import type { FailureKind, HttpFailure, ToolCall } from "./script.js";
import { type Asked, type Dialect, EventStream, newId, tokensOf, type Wire } from "./wire.js";

/** A call that returns this soon leaves its command behind on purpose. */
const BACKGROUND_MS = 1000;

type Item = { type: string; id: string } & Record<string, unknown>;

interface Called {
  name: string;
  /** Tools of an MCP server are called by the server's name and their own. */
  namespace?: string;
  input: unknown;
}

function argumentsOf(call: ToolCall): Called {
  switch (call.tool) {
    case "read":
      return { name: "exec_command", input: { cmd: `cat ${call.path}` } };
    case "shell": {
      const asking = { sandbox_permissions: "require_escalated", justification: "Run it outside the sandbox?" };
      return {
        name: "exec_command",
        input: {
          cmd: call.command,
          yield_time_ms: call.background ? BACKGROUND_MS : 30_000,
          ...(call.asks ? asking : {}),
        },
      };
    }
    case "mcp":
      return { name: call.name, namespace: `mcp__${call.server}`, input: call.input };
    case "ask": {
      const options = call.options.map((label) => ({ label, description: label }));
      const question = { id: "choice", header: "Choice", question: call.question, options };
      return { name: "request_user_input", input: { questions: [question] } };
    }
  }
}

class ResponseWire implements Wire {
  readonly #stream: EventStream;
  readonly #id = newId("resp");
  readonly #output: Item[] = [];
  #text = "";
  #tokens = 0;

  constructor(response: ServerResponse) {
    this.#stream = new EventStream(response);
  }

  open(): void {
    this.#stream.open();
    this.#stream.send({ type: "response.created", response: this.#response("in_progress") });
  }

  begin(block: "text" | "think"): void {
    this.#text = "";
    if (block === "text") {
      this.#add({ type: "message", id: newId("msg"), role: "assistant", status: "in_progress", content: [] });
      return;
    }
    const { id } = this.#add({ type: "reasoning", id: newId("rs"), summary: [] });
    const part = { type: "summary_text", text: "" };
    this.#send({ type: "response.reasoning_summary_part.added", item_id: id, summary_index: 0, part });
  }

  delta(text: string): void {
    this.#text += text;
    this.#tokens += tokensOf(text);
    const { type, id } = this.#item;
    if (type === "message")
      this.#send({ type: "response.output_text.delta", item_id: id, content_index: 0, delta: text });
    else this.#send({ type: "response.reasoning_summary_text.delta", item_id: id, summary_index: 0, delta: text });
  }

  finish(): void {
    const item = this.#item;
    if (item.type === "message") {
      item.status = "completed";
      item.content = [{ type: "output_text", text: this.#text, annotations: [] }];
    } else if (item.type === "reasoning") {
      item.summary = [{ type: "summary_text", text: this.#text }];
    }
    this.#send({ type: "response.output_item.done", item });
  }

  call(tool: ToolCall): void {
    this.callOf(argumentsOf(tool));
  }

  callOf({ input, ...named }: Called): void {
    const json = JSON.stringify(input);
    this.#tokens += tokensOf(json);
    const call = { ...named, call_id: newId("call"), status: "completed" };
    this.#add({ type: "function_call", id: newId("fc"), arguments: "", ...call });
    this.#send({ type: "response.function_call_arguments.delta", item_id: this.#item.id, delta: json });
    this.#item.arguments = json;
    this.finish();
  }

  ping(): void {
    this.#stream.send({ type: "keepalive" });
  }

  breakOff(type: string, message: string): void {
    const failed = { ...this.#response("failed"), error: { code: type, message } };
    this.#stream.send({ type: "response.failed", response: failed });
    this.#stream.close();
  }

  end(): void {
    this.#stream.send({ type: "response.completed", response: this.#response("completed") });
    this.#stream.close();
  }

  get #item(): Item {
    return this.#output.at(-1) as Item;
  }

  #add(item: Item): Item {
    this.#output.push(item);
    this.#send({ type: "response.output_item.added", item });
    return item;
  }

  #send(event: { type: string } & Record<string, unknown>): void {
    this.#stream.send({ ...event, output_index: this.#output.length - 1 });
  }

  #response(status: string): Record<string, unknown> {
    const counts = { input_tokens: 1200, output_tokens: this.#tokens, total_tokens: 1200 + this.#tokens };
    const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    const usage = status === "completed" ? { ...counts, ...details } : null;
    return { id: this.#id, object: "response", status, output: this.#output, usage };
  }
}

/** A command that outlasts a call is polled by another call, as the model would do. */
function runningSession(input: unknown): number | null {
  const items = Array.isArray(input) ? (input as Record<string, unknown>[]) : [];
  const last = items.at(-1);
  if (last?.type !== "function_call_output") return null;
  const call = items.find(({ type, call_id }) => type === "function_call" && call_id === last.call_id);
  if (String(call?.arguments).includes(`"yield_time_ms":${BACKGROUND_MS}`)) return null;
  const found = /Process running with session ID (\d+)/.exec(String(last.output));
  return found ? Number(found[1]) : null;
}

const error = (status: number, body: Record<string, unknown>, headers: Record<string, string> = {}): HttpFailure => ({
  status,
  headers,
  body: { error: body },
});

const FAILURES: Record<FailureKind, (resetsAt: Date) => HttpFailure> = {
  overloaded: () =>
    error(503, {
      type: "server_error",
      code: "server_is_overloaded",
      message: "The server is currently overloaded with other requests.",
    }),
  server_error: () => error(500, { type: "server_error", message: "The server had an error." }),
  auth: () => error(401, { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key." }),
  rate_limit: (at) =>
    error(
      429,
      { type: "tokens", code: "rate_limit_exceeded", message: "Rate limit reached." },
      { "retry-after": String(Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000))) },
    ),
  usage_limit: (at) =>
    error(429, {
      type: "usage_limit_reached",
      message: "The usage limit has been reached",
      plan_type: "plus",
      resets_at: Math.round(at.getTime() / 1000),
    }),
};

export const OPENAI: Dialect = {
  path: /^\/v1\/responses$/,
  ask: (body, response): Asked => {
    const wire = new ResponseWire(response);
    const session = runningSession(body.input);
    const poll = { session_id: session, chars: "", yield_time_ms: 30_000 };
    return {
      // Its own requests (a title for the session) have no tools.
      isSide: !Array.isArray(body.tools) || body.tools.length === 0,
      goOn: session === null ? null : () => wire.callOf({ name: "write_stdin", input: poll }),
      wire,
    };
  },
  failure: (kind, resetsAt) => FAILURES[kind](resetsAt),
};
