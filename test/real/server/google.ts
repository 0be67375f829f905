/** The API of Gemini, as Gemini CLI speaks it. */
import type { ServerResponse } from "node:http";
import type { FailureKind, HttpFailure, ToolCall } from "./script.js";
import { type Asked, type Dialect, EventStream, newId, tokensOf, type Wire } from "./wire.js";

type Part = Record<string, unknown>;

function functionCall(call: ToolCall): Part {
  const of = (name: string, args: unknown): Part => ({ functionCall: { id: newId("call"), name, args } });
  switch (call.tool) {
    case "read":
      return of("read_file", { file_path: call.path });
    case "shell":
      return of("run_shell_command", {
        command: call.command,
        description: "Run a command",
        ...(call.background ? { is_background: true } : {}),
      });
    case "mcp":
      return of(`mcp_${call.server}_${call.name}`, call.input);
    case "ask": {
      const options = call.options.map((label) => ({ label, description: label }));
      return of("ask_user", { questions: [{ question: call.question, header: "Choice", type: "choice", options }] });
    }
  }
}

/** Streams on request; otherwise the whole reply comes at the end. */
class GenerateWire implements Wire {
  readonly #response: ServerResponse;
  readonly #stream: EventStream | null;
  readonly #model: string;
  readonly #id = newId("resp");
  readonly #parts: Part[] = [];
  #isThought = false;
  #tokens = 0;

  constructor(response: ServerResponse, model: string, isStreamed: boolean) {
    this.#response = response;
    this.#stream = isStreamed ? new EventStream(response) : null;
    this.#model = model;
  }

  open(): void {
    this.#stream?.open();
  }

  begin(block: "text" | "think"): void {
    this.#isThought = block === "think";
  }

  delta(text: string): void {
    this.#tokens += tokensOf(text);
    this.#add({ text, ...(this.#isThought ? { thought: true } : {}) });
  }

  finish(): void {}

  call(tool: ToolCall): void {
    const part = functionCall(tool);
    this.#tokens += tokensOf(JSON.stringify(part));
    this.#add(part);
  }

  /** The client accepts neither comments nor names of events: only white space between two events. */
  ping(): void {
    if (this.#stream && !this.#response.destroyed) this.#response.write("\n");
  }

  breakOff(type: string, message: string): void {
    this.#response.end(JSON.stringify({ error: { code: 503, status: type.toUpperCase(), message } }));
  }

  end(): void {
    if (this.#stream === null) {
      this.#response.writeHead(200, { "content-type": "application/json" });
      this.#response.end(JSON.stringify(this.#reply(this.#parts, "STOP")));
      return;
    }
    this.#stream.data(this.#reply([{ text: "" }], "STOP"));
    this.#stream.close();
  }

  #add(part: Part): void {
    this.#parts.push(part);
    this.#stream?.data(this.#reply([part]));
  }

  #reply(parts: readonly Part[], finishReason?: string): Record<string, unknown> {
    const counts = { promptTokenCount: 1200, candidatesTokenCount: this.#tokens };
    return {
      candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
      usageMetadata: { ...counts, totalTokenCount: 1200 + this.#tokens },
      modelVersion: this.#model,
      responseId: this.#id,
    };
  }
}

const error = (code: number, status: string, message: string, details: readonly object[] = []): HttpFailure => ({
  status: code,
  body: { error: { code, status, message, details } },
});

const typed = (name: string, fields: object): object => ({
  "@type": `type.googleapis.com/google.rpc.${name}`,
  ...fields,
});

const FAILURES: Record<FailureKind, (resetsAt: Date) => HttpFailure> = {
  overloaded: () => error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  server_error: () => error(500, "INTERNAL", "An internal error has occurred."),
  auth: () => error(401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
  rate_limit: (at) => {
    const seconds = Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000));
    const violations = [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }];
    return error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      typed("QuotaFailure", { violations }),
      typed("RetryInfo", { retryDelay: `${seconds}s` }),
    ]);
  },
  // The quota of a day: the API names no time at which it ends.
  usage_limit: () =>
    error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      typed("QuotaFailure", { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] }),
    ]),
};

const PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(stream)?[gG]enerateContent$/;

export const GOOGLE: Dialect = {
  path: PATH,
  ask: (body, response, path): Asked => {
    const [, model = "", isStreamed] = PATH.exec(path) ?? [];
    return {
      // Its own requests (which model, who speaks next, a summary) have no tools.
      isSide: !Array.isArray(body.tools) || body.tools.length === 0,
      goOn: null,
      wire: new GenerateWire(response, model, isStreamed !== undefined),
    };
  },
  failure: (kind, resetsAt) => FAILURES[kind](resetsAt),
};
