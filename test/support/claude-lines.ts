/** Writes the lines of a Claude Code transcript by hand: one call per line, times in seconds from the start. */
const START = Date.parse("2026-03-02T09:00:00Z");

export class ClaudeLines {
  readonly #lines: string[] = [];
  readonly #version: string;
  #reply = 0;

  constructor(version: string) {
    this.#version = version;
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  line(t: number, record: object): this {
    const timestamp = new Date(START + t * 1000).toISOString();
    const facts = { uuid: `u${this.#lines.length}`, sessionId: "s1", cwd: "/repo", version: this.#version };
    this.#lines.push(JSON.stringify({ ...facts, timestamp, ...record }));
    return this;
  }

  prompt(t: number, content: string): this {
    return this.line(t, { type: "user", message: { role: "user", content } });
  }

  mode(t: number, permissionMode: string): this {
    return this.line(t, { type: "permission-mode", permissionMode });
  }

  /** A text of the model; `stop` is null in releases that write no stop reason. */
  says(t: number, text: string, stop: string | null = "end_turn", reply = this.#next()): this {
    return this.#assistant(t, [{ type: "text", text }], stop, reply);
  }

  calls(
    t: number,
    id: string,
    name: string,
    input: object,
    stop: string | null = "tool_use",
    reply = this.#next(),
  ): this {
    return this.#assistant(t, [{ type: "tool_use", id, name, input }], stop, reply);
  }

  result(t: number, id: string, text: string, details: object = {}, isError = false): this {
    const block = { type: "tool_result", tool_use_id: id, content: text, is_error: isError };
    return this.line(t, { type: "user", message: { role: "user", content: [block] }, toolUseResult: details });
  }

  /** The program's report that it gave up on a request. */
  fails(t: number, error: string, text: string): this {
    const message = { id: this.#next(), role: "assistant", model: "<synthetic>", content: [{ type: "text", text }] };
    return this.line(t, { type: "assistant", isApiErrorMessage: true, error, message });
  }

  notification(t: number, callId: string, status = "completed"): this {
    const text = `<task-notification>\n<task-id>t-${callId}</task-id>\n<tool-use-id>${callId}</tool-use-id>\n<status>${status}</status>\n<summary>Background task ${status}</summary>\n</task-notification>`;
    return this.line(t, {
      type: "user",
      origin: { kind: "task-notification" },
      message: { role: "user", content: text },
    });
  }

  turnEnds(t: number): this {
    return this.line(t, { type: "system", subtype: "turn_duration", durationMs: 1000 });
  }

  queue(t: number, operation: "enqueue" | "dequeue" | "remove" | "popAll"): this {
    return this.line(t, { type: "queue-operation", operation, content: "one more thing" });
  }

  /** Lets the clock run without a sign of the agent. */
  until(t: number): this {
    return this.line(t, { type: "system", subtype: "local_command" });
  }

  #next(): string {
    return `msg_${++this.#reply}`;
  }

  #assistant(t: number, content: object[], stop: string | null, id: string): this {
    const message = { id, role: "assistant", model: "claude-opus-4", stop_reason: stop, content };
    return this.line(t, { type: "assistant", message });
  }
}
