/** Asks the daemon over its socket. `node:http` and not fetch: on Node 20 fetch alone costs 110 ms of start-up. */
import { request } from "node:http";

/** The daemon cannot be reached: exit code 69. */
export class DaemonUnreachable extends Error {
  /** No process listens. If false, a daemon is running but did not answer completely. */
  readonly isDown: boolean;

  constructor(message: string, isDown: boolean) {
    super(message);
    this.isDown = isDown;
  }
}

/** The daemon answered with an error of its own. */
export class DaemonRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** With a load of 20 on one core, answers took more than five seconds. */
const TIMEOUT_MS = 20_000;

export function askDaemon(
  socketPath: string,
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
  timeout: number = TIMEOUT_MS,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? more : { ...more, "content-type": "application/json" };
    // A kept connection may be closed by the daemon at the moment of the next request, which then fails with a reset.
    const asked = request({ socketPath, method, path, headers, timeout, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const answer = parse(Buffer.concat(chunks).toString("utf8"));
        if (response.statusCode === 200) resolve(answer);
        else reject(new DaemonRefusal(response.statusCode ?? 0, messageOf(answer)));
      });
      response.on("error", () =>
        reject(new DaemonUnreachable("the daemon closed the connection before its answer was complete", false)),
      );
    });
    asked.on("timeout", () => asked.destroy(new Error("timed out")));
    asked.on("error", (error) => reject(unreachable(error)));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function unreachable({ code, message }: NodeJS.ErrnoException): DaemonUnreachable {
  const isDown = code === "ENOENT" || code === "ECONNREFUSED";
  return new DaemonUnreachable(isDown ? "no daemon is running" : `the daemon does not answer (${message})`, isDown);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function messageOf(answer: unknown): string {
  const error = typeof answer === "object" && answer !== null ? (answer as { error?: unknown }).error : undefined;
  return typeof error === "string" ? error : "the daemon refused without a reason";
}
