/** A transcript as Claude Code writes it, line by line as things happen; nothing at all without a path. */
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

export class Transcript {
  #path;
  #session;
  #count = 0;

  constructor(path, session) {
    this.#path = path;
    this.#session = session;
    if (path) mkdirSync(dirname(path), { recursive: true });
  }

  prompt(text) {
    this.#write({ type: "user", message: { role: "user", content: text }, origin: { kind: "human" } });
  }

  says(text) {
    this.#reply([{ type: "text", text }], "end_turn");
    this.#write({ type: "system", subtype: "turn_duration", durationMs: 1000 });
  }

  /** The id of the call, for its result. */
  calls(name, input) {
    const id = `toolu_${this.#count}`;
    this.#reply([{ type: "tool_use", id, name, input }], "tool_use");
    return id;
  }

  returns(id, content, isError = false) {
    const block = { type: "tool_result", tool_use_id: id, content, is_error: isError };
    this.#write({ type: "user", message: { role: "user", content: [block] } });
  }

  #reply(content, stop) {
    const usage = { input_tokens: 10, output_tokens: 40 };
    const message = { id: `msg_${this.#count}`, role: "assistant", model: "fake", content, stop_reason: stop, usage };
    this.#write({ type: "assistant", message });
  }

  #write(record) {
    if (!this.#path) return;
    const common = {
      uuid: `${this.#session}-${this.#count++}`,
      timestamp: new Date().toISOString(),
      sessionId: this.#session,
      cwd: process.cwd(),
      version: "2.1.325",
      isSidechain: false,
    };
    appendFileSync(this.#path, `${JSON.stringify({ ...common, ...record })}\n`);
  }
}
