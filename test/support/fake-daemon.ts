/** A minimal ingest of the daemon: records what arrives, and fails on demand. */

import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";

export class FakeDaemon {
  readonly sessions: AgentSession[] = [];
  /** By number, as in a journal: a repeat is harmless. */
  readonly signals = new Map<number, Signal>();
  readonly batches: { from: number; count: number }[] = [];
  /** Statuses to answer with before normal answers. */
  failures: number[] = [];
  /** It accepts signals and acknowledges none of them. */
  isForgetful = false;
  /** It asks for everything that can be seen again. */
  isMissingSome = false;
  #stop: (() => Promise<void>) | null = null;

  async listen(socketPath: string): Promise<void> {
    mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
    rmSync(socketPath, { force: true });
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        const failure = this.failures.shift();
        const answer = failure
          ? { status: failure, body: {} }
          : request.url?.startsWith("/v1/sessions/")
            ? this.#take(request.method ?? "", JSON.parse(body || "{}"))
            : { status: 404, body: { error: "this daemon has only the routes of hosts" } };
        response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(socketPath, resolve);
    });
    this.#stop = () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      });
  }

  get acked(): number {
    let acked = 0;
    while (this.signals.has(acked + 1)) acked++;
    return acked;
  }

  get kinds(): string[] {
    return [...this.signals.values()].map((signal) => signal.kind);
  }

  async close(): Promise<void> {
    await this.#stop?.();
    this.#stop = null;
  }

  #take(method: string, body: unknown): { status: number; body: unknown } {
    if (method === "PUT") {
      this.sessions.push(body as AgentSession);
    } else if (method === "POST") {
      if (this.sessions.length === 0) return { status: 409, body: {} };
      const { from, signals } = body as { from: number; signals: Signal[] };
      this.batches.push({ from, count: signals.length });
      for (const [place, signal] of signals.entries()) this.signals.set(from + place, signal);
      return { status: 200, body: { acked: this.isForgetful ? 0 : from + signals.length - 1 } };
    }
    const resend = this.isMissingSome ? { resend: true } : {};
    return { status: 200, body: { acked: this.isForgetful ? 0 : this.acked, ...resend } };
  }
}
