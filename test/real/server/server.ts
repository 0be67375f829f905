/**
 * A model server for real clients: answers by a script on a loopback port, records the truth, and blocks outside
 * connections.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ANTHROPIC } from "./anthropic.js";
import { CHAT } from "./chat.js";
import { GOOGLE } from "./google.js";
import { OPENAI } from "./openai.js";
import { play, send } from "./play.js";
import type { Action, Script, Step } from "./script.js";

const DIALECTS = [ANTHROPIC, OPENAI, CHAT, GOOGLE];
const SIDE_REPLY: readonly Step[] = [{ do: "text", text: "Mend the test" }];
const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "gpt-5.1-codex", "qwen3-coder-plus"];

/** Also the proxy of its clients: a connection to any other host is recorded and refused. */
export class ModelServer {
  readonly actions: Action[] = [];
  /** The content of each request of the conversation. */
  readonly conversation: string[] = [];
  readonly #script: Script;
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #reported = new Map<string, { promise: Promise<void>; resolve: () => void }>();
  #requests = 0;
  #held: { request: number; resetsAt: number } | null = null;

  static async start(script: Script): Promise<ModelServer> {
    const server = new ModelServer(script);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        if (!response.headersSent) send(response, { status: 500, body: { error: { message: error.message } } });
        else response.destroy();
      });
    });
    this.#server.on("connect", (request, socket) => {
      this.#note("phoned", request.url);
      // A client may leave before the answer.
      socket.on("error", () => {});
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requested outside hosts. */
  get phoned(): string[] {
    return [...new Set(this.actions.flatMap(({ did, what }) => (did === "phoned" && what ? [what] : [])))];
  }

  /** Continues every reply that waits for this name, including later ones. */
  report(word: string): void {
    this.#wordOf(word).resolve();
  }

  /** When this last happened, in this reply or a later one: the truth of the state that follows. */
  lastOf(did: Action["did"], reply = 0): number | null {
    return this.actions.findLast((record) => record.did === did && record.request >= reply)?.at ?? null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = request.url ?? "/";
    // A request to a proxy contains the whole address, and some clients use the proxy also for the server itself.
    const target = asked.startsWith(`${this.url}/`) ? asked.slice(this.url.length) : asked;
    if (!target.startsWith("/")) {
      this.#note("phoned", target);
      send(response, { status: 403, body: { error: { message: "no way out" } } });
      return;
    }
    const [path = "/"] = target.split("?");
    const dialect = DIALECTS.find((one) => one.path.test(path));
    if (request.method !== "POST" || dialect === undefined) {
      this.#note("side", `${request.method} ${path}`);
      send(response, aside(path));
      return;
    }
    const text = await bodyOf(request);
    const body = JSON.parse(text) as Record<string, unknown>;
    const { isSide, goOn, wire } = dialect.ask(body, response, path);
    if (goOn !== null) {
      this.#note("side", "its tool still runs");
      wire.open();
      goOn();
      wire.end();
      return;
    }
    const { number, steps } = isSide ? { number: -1, steps: SIDE_REPLY } : this.#next();
    if (!isSide) this.conversation[number] = text;
    const note = (did: Action["did"], what?: string): void => this.#note(isSide ? "side" : did, what, number);
    note("request");
    const gone = new AbortController();
    response.on("close", () => {
      gone.abort();
      note("closed");
    });
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    const reported = (word: string): Promise<void> => this.#wordOf(word).promise;
    if (await play(steps, { wire, dialect, response, signal, note, reported })) note("end");
  }

  /** The next reply; during a limit, the reply of the limit. */
  #next(): { number: number; steps: readonly Step[] } {
    const isHeld = this.#held !== null && Date.now() < this.#held.resetsAt;
    const number = isHeld && this.#held ? this.#held.request : this.#requests++;
    const steps = this.#script[Math.min(number, this.#script.length - 1)] ?? [];
    const [first] = steps;
    if (first?.do !== "fail" || !("kind" in first) || !first.holds) return { number, steps };
    if (!isHeld) this.#held = { request: number, resetsAt: Date.now() + first.resetsInS * 1000 };
    const leftS = ((this.#held?.resetsAt ?? 0) - Date.now()) / 1000;
    return { number, steps: [{ ...first, resetsInS: leftS }] };
  }

  #note(did: Action["did"], what?: string, request = -1): void {
    this.actions.push({ at: Date.now(), did, request, ...(what === undefined ? {} : { what }) });
  }

  #wordOf(word: string): { promise: Promise<void>; resolve: () => void } {
    let reported = this.#reported.get(word);
    if (!reported) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      reported = { promise, resolve };
      this.#reported.set(word, reported);
    }
    return reported;
  }
}

/** Requests of clients besides replies; most of them are optional. */
function aside(path: string): { status: number; body: unknown } {
  if (path.endsWith("/count_tokens")) return { status: 200, body: { input_tokens: 1200 } };
  if (path.endsWith(":countTokens")) return { status: 200, body: { totalTokens: 1200 } };
  if (path.endsWith("/models")) {
    const data = MODELS.map((id) => ({ id, object: "model", type: "model", display_name: id }));
    return { status: 200, body: { object: "list", data, has_more: false } };
  }
  return { status: path === "/" ? 200 : 404, body: { error: { type: "not_found_error", message: "Not found" } } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
