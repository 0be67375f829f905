/**
 * Sends one request to a host and returns its answer. Without an answer, reports whether the host may have acted on it.
 */
import { createConnection } from "node:net";
import { FrameReader, frameLine, type ToHost } from "./frames.js";

export type HostAnswer =
  | { kind: "answer"; event: Record<string, unknown> }
  /** The host refused. */
  | { kind: "error"; reason: string }
  /** The host did not receive the request. */
  | { kind: "unreachable"; reason: string }
  /** The agent had ended before the host handled the request: it did nothing, and will do nothing. */
  | { kind: "ended"; reason: string }
  /** The host may have received the request, but did not answer. */
  | { kind: "lost"; reason: string };

/** Without `withinMs` it waits forever: stopping an agent can take any time. */
export function askHostProcess(
  socketPath: string,
  message: ToHost,
  answer: string,
  withinMs?: number,
): Promise<HostAnswer> {
  return new Promise((resolve) => {
    const frames = new FrameReader();
    const socket = createConnection(socketPath);
    let isSent = false;
    const done = (asked: HostAnswer): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(asked);
    };
    const fail = (reason: string): void => done({ kind: isSent ? "lost" : "unreachable", reason });
    const tooLate = (): void => fail(`no answer within ${withinMs} ms`);
    const late = withinMs === undefined ? undefined : setTimeout(tooLate, withinMs);
    socket.setEncoding("utf8");
    socket.once("connect", () => {
      isSent = true;
      socket.write(frameLine(message));
    });
    socket.on("data", (chunk: string) => {
      try {
        for (const event of frames.read(chunk)) {
          if (event.ev === answer) done({ kind: "answer", event });
          else if (event.ev === "error") done({ kind: "error", reason: String(event.text).slice(0, 200) });
          // Answers come in the order of the requests, so `exit` follows the answers to all requests that were carried out.
          else if (event.ev === "exit") done({ kind: "ended", reason: "the agent has ended" });
        }
      } catch (error) {
        fail((error as Error).message);
      }
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      // A failed write was not received: the host ended between the connection and the request.
      if (error.syscall === "write") isSent = false;
      fail(error.message);
    });
    socket.once("close", () => fail("the host closed the connection"));
  });
}
