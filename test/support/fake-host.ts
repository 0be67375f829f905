/** A host of an agent's terminal that answers as the test says. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { ScreenState } from "../../src/core/policy/typing-checks.js";
import { FrameReader, type FromHost, frameLine, type ToHost } from "../../src/terminal/frames.js";

export const IDLE_SCREEN: ScreenState = {
  composer: "empty",
  draft: "",
  dialog: null,
  busy: false,
  says: "idle",
  queued: false,
  structural: false,
  composerDigest: "c1",
};

type Answer = (request: ToHost) => FromHost | null | Promise<FromHost | null>;

export class FakeHost {
  readonly requests: ToHost[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answer: Answer;

  /** `answer` gives null for no answer. */
  constructor(answer: Answer) {
    this.#answer = answer;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      const frames = new FrameReader();
      socket.setEncoding("utf8");
      socket.on("error", () => {});
      socket.on("data", (chunk: string) => {
        for (const frame of frames.read(chunk)) void this.#take(frame as unknown as ToHost, socket);
      });
    });
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve) => this.#server.listen(path, resolve));
  }

  async #take(request: ToHost, socket: Socket): Promise<void> {
    this.requests.push(request);
    const answered = await this.#answer(request);
    if (answered !== null) socket.write(frameLine(answered));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** The script of a host that starts nothing and gives this answer, and the order that it got. */
export function writeHostScript(folder: string, answer: object): { hostScript: string; order: () => unknown } {
  const hostScript = join(folder, "host.mjs");
  const seen = join(folder, "order.json");
  writeFileSync(
    hostScript,
    `import { readFileSync, writeFileSync, writeSync } from "node:fs";
    writeFileSync(${JSON.stringify(seen)}, readFileSync(0));
    writeSync(3, ${JSON.stringify(JSON.stringify(answer))});`,
  );
  return { hostScript, order: () => JSON.parse(readFileSync(seen, "utf8")) };
}
