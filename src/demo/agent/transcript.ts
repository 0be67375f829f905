/** A transcript in the format of Claude Code, written line by line; nothing without a path. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export class Transcript {
  readonly #path: string | null;
  readonly #session: string;
  #count = 0;

  constructor(path: string | null, session: string) {
    this.#path = path;
    this.#session = session;
    if (path) mkdirSync(dirname(path), { recursive: true });
    this.#count = this.#lines().length;
  }

  /** The conversation so far: the context for a resumed session. */
  get said(): { role: string; text: string }[] {
    return this.#lines().flatMap((line) => {
      const { message } = JSON.parse(line) as { message?: { role: string; content: string | { text?: string }[] } };
      if (!message) return [];
      const text = typeof message.content === "string" ? message.content : message.content[0]?.text;
      return text === undefined ? [] : [{ role: message.role, text }];
    });
  }

  prompt(text: string): void {
    this.write({ type: "user", message: { role: "user", content: text }, origin: { kind: "human" } });
  }

  interrupted(): void {
    const block = { type: "text", text: "[Request interrupted by user]" };
    this.write({ type: "user", message: { role: "user", content: [block] } });
  }

  says(text: string): void {
    this.#reply([{ type: "text", text }], "end_turn");
    this.write({ type: "system", subtype: "turn_duration", durationMs: 1000 });
  }

  /** The id of the call, for its result. */
  calls(name: string, input: object): string {
    const id = `toolu_${this.#count}`;
    this.#reply([{ type: "tool_use", id, name, input }], "tool_use");
    return id;
  }

  returns(id: string, content: string, isError = false): void {
    const block = { type: "tool_result", tool_use_id: id, content, is_error: isError };
    this.write({ type: "user", message: { role: "user", content: [block] } });
  }

  #lines(): string[] {
    if (!this.#path || !existsSync(this.#path)) return [];
    return readFileSync(this.#path, "utf8").split("\n").slice(0, -1);
  }

  #reply(content: object[], stop: string | null): void {
    const usage = { input_tokens: 10, output_tokens: 40 };
    const message = { id: `msg_${this.#count}`, role: "assistant", model: "fake", content, stop_reason: stop, usage };
    this.write({ type: "assistant", message });
  }

  /** Any record, with the common fields. */
  write(record: object): void {
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
