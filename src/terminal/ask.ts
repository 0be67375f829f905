/** One question to a host, and its answer. Says what is known when none comes: that matters to whoever asked for an action. */
import { createConnection } from "node:net";
import { FrameReader, frameLine, type ToHost } from "./frames.js";

export type HostAnswer =
  | { kind: "answer"; event: Record<string, unknown> }
  /** The host said no. */
  | { kind: "error"; reason: string }
  /** Nobody was there to hear it. */
  | { kind: "unreachable"; reason: string }
  /** The agent had ended before the host came to it: nothing was done, nor will be. */
  | { kind: "ended"; reason: string }
  /** It was heard, or may have been, and no answer came. */
  | { kind: "lost"; reason: string };

/** Waits for ever where no time is given: stopping an agent takes as long as it takes. */
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
          // Answers come in the order of what was asked: the farewell comes after that to everything which was obeyed.
          else if (event.ev === "exit") done({ kind: "ended", reason: "the agent has ended" });
        }
      } catch (error) {
        fail((error as Error).message);
      }
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      // What could not be written was heard by nobody: the host went between the connection and the question.
      if (error.syscall === "write") isSent = false;
      fail(error.message);
    });
    socket.once("close", () => fail("the host closed the connection"));
  });
}
