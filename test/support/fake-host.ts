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

export class FakeHost {
  readonly requests: ToHost[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** `answer` gives null for no answer. */
  constructor(answer: (request: ToHost) => FromHost | null | Promise<FromHost | null>) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      const frames = new FrameReader();
      socket.setEncoding("utf8");
      socket.on("error", () => {});
      socket.on("data", async (chunk: string) => {
        for (const frame of frames.read(chunk)) {
          const request = frame as unknown as ToHost;
          this.requests.push(request);
          const answered = await answer(request);
          if (answered !== null) socket.write(frameLine(answered));
        }
      });
    });
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve) => this.#server.listen(path, resolve));
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
