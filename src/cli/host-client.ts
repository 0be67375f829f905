/** Finds the process that holds an agent, and talks to it. */
import { createConnection, type Socket } from "node:net";
import { localZone } from "../config/local-zone.js";
import { rousePaths } from "../config/paths.js";
import { unknownAgent } from "../config/unknown-agent.js";
import { shellWord } from "../core/text/shell-word.js";
import { endedText } from "../core/text/when.js";
import { BadInput } from "../replay/files.js";
import { askHostProcess } from "../terminal/ask.js";
import { FrameReader, frameLine, type ToHost } from "../terminal/frames.js";
import { type FoundSession, findSession, listSessions } from "../terminal/registry.js";
import { call, type OperationAnswer } from "./client.js";

/** The agent of this name, running or ended. `refusal`: what rouse cannot do for an agent that it did not start. */
export async function sessionNamed(name: string, refusal: string): Promise<FoundSession> {
  const paths = rousePaths();
  const found = findSession(paths, name);
  if (found) return found;
  const { agents } = await call("sessions", {}).catch(() => ({ agents: [] }));
  const elsewhere = agents.find((agent) => agent.name === name || agent.id === name);
  if (elsewhere) throw new BadInput(adoptedText(elsewhere, refusal));
  const alive = listSessions(paths).filter(({ isAlive }) => isAlive);
  const names = [...alive, ...agents].map((agent) => agent.name);
  throw new BadInput(unknownAgent(name, names));
}

/** How to open an agent that rouse watches but did not start. */
function adoptedText(found: OperationAnswer<"sessions">["agents"][number], refusal: string): string {
  const where = found.pane
    ? `To go to it, run \`rouse go ${shellWord(found.name)}\``
    : `It runs in another terminal${found.pid === null ? "" : ` (process ${found.pid})`}`;
  return `rouse did not start ${found.name}, so it ${refusal}. ${where}`;
}

export async function livingSession(name: string, refusal: string): Promise<FoundSession & { hostSocket: string }> {
  const found = await sessionNamed(name, refusal);
  if (!found.isAlive || found.hostSocket === null) throw new BadInput(overText(found));
  return { ...found, hostSocket: found.hostSocket };
}

/** A record without an end was cut off: its host is gone. */
export const overText = ({ name, endedAt }: FoundSession): string =>
  endedAt === null ? `${name} is no longer running` : endedText(name, endedAt, Date.now(), localZone());

export class HostClient {
  readonly #socket: Socket;
  readonly #frames = new FrameReader();

  private constructor(socket: Socket, each: (event: Record<string, unknown>) => void, ended: () => void) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      for (const event of this.#frames.read(chunk)) each(event);
    });
    socket.on("close", ended);
    socket.on("error", () => socket.destroy());
  }

  static connect(
    session: FoundSession & { hostSocket: string },
    each: (event: Record<string, unknown>) => void,
    ended: () => void,
  ): Promise<HostClient> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(session.hostSocket);
      socket.once("connect", () => resolve(new HostClient(socket, each, ended)));
      socket.once("error", (error) =>
        reject(
          new BadInput(`the process that holds ${session.name} (${session.hostPid}) does not answer: ${error.message}`),
        ),
      );
    });
  }

  send(message: ToHost): void {
    this.#socket.write(frameLine(message));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Sends one request and waits for the answer. */
export async function askHost(
  session: FoundSession & { hostSocket: string },
  message: ToHost,
  answer: string,
): Promise<Record<string, unknown>> {
  const asked = await askHostProcess(session.hostSocket, message, answer);
  if (asked.kind === "answer") return asked.event;
  if (asked.kind === "error") throw new BadInput(asked.reason);
  if (asked.kind === "lost" || asked.kind === "ended") throw new BadInput(`${session.name} ended before it answered`);
  throw new BadInput(`the process that holds ${session.name} (${session.hostPid}) does not answer: ${asked.reason}`);
}

export function bytesOf({ data }: Record<string, unknown>): Buffer {
  return Buffer.from(typeof data === "string" ? data : "", "base64");
}
