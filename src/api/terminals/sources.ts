/** Where the output of an agent's terminal comes from: its host, its tmux pane, or the output kept after its end. */
import { createConnection } from "node:net";
import type { RousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import { PollLink } from "../../sensors/tmux/link.js";
import { FrameReader, frameLine } from "../../terminal/frames.js";
import { findSession, readSessionFile, sessionFile } from "../../terminal/registry.js";

export interface ScreenSize {
  cols: number;
  rows: number;
}

export interface OutputSink {
  /** A new connection: what follows starts with the whole screen. */
  reset(size: ScreenSize): void;
  size(size: ScreenSize): void;
  output(bytes: Uint8Array): void;
  ended(reason: string): void;
}

export interface OutputSource {
  pause(): void;
  resume(): void;
  close(): void;
}

const KEPT_BYTES_MAX = 1024 * 1024;
const POLL_MS = 1000;
const PANE_ID = /^%\d{1,10}$/;
const IDLE: OutputSource = { pause() {}, resume() {}, close() {} };

export function openSource(session: AgentSession, paths: RousePaths, sink: OutputSink): OutputSource {
  if (session.endedAt !== null) return keptSource(session, paths, sink);
  if (session.hostSocket !== null) return hostSource(session.hostSocket, sink);
  if (session.pane && PANE_ID.test(session.pane.id)) return paneSource(session.pane, sink);
  sink.ended("This agent has no terminal that rouse can read.");
  return IDLE;
}

function keptSource(session: AgentSession, paths: RousePaths, sink: OutputSink): OutputSource {
  const record = findSession(paths, session.id);
  try {
    const bytes = readSessionFile(sessionFile(paths, session.id, "out"), KEPT_BYTES_MAX);
    sink.reset({ cols: record?.cols ?? 80, rows: record?.rows ?? 24 });
    sink.output(bytes);
    sink.ended("The agent has ended. This is its last screen.");
  } catch {
    sink.ended("The agent has ended, and its output was not kept.");
  }
  return IDLE;
}

function hostSource(path: string, sink: OutputSink): OutputSource {
  const frames = new FrameReader();
  const socket = createConnection(path);
  let isClosed = false;
  const end = (reason: string): void => {
    if (!isClosed) sink.ended(reason);
    isClosed = true;
    socket.destroy();
  };
  socket.setEncoding("utf8");
  socket.once("connect", () => socket.write(frameLine({ op: "logs", follow: true })));
  socket.on("data", (chunk: string) => {
    try {
      for (const { ev, data, cols, rows, text } of frames.read(chunk)) {
        const size = { cols: Number(cols) || 80, rows: Number(rows) || 24 };
        if (ev === "snapshot") sink.reset(size);
        if (ev === "size") sink.size(size);
        if (ev === "snapshot" || ev === "output") sink.output(Buffer.from(String(data), "base64"));
        if (ev === "exit") end("The agent has ended. This is its last screen.");
        if (ev === "error") end(`The agent's terminal refused the connection: ${String(text).slice(0, 200)}.`);
      }
    } catch (error) {
      end(`The agent's terminal sent an invalid answer: ${(error as Error).message.slice(0, 200)}.`);
    }
  });
  socket.on("error", () => end("The agent's terminal does not answer."));
  socket.on("close", () => end("The agent's terminal closed the connection."));
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      isClosed = true;
      socket.destroy();
    },
  };
}

/** A pane is read like a screen: every second, and drawn as a whole; the frames hold only what changed. */
function paneSource(pane: { socket: string; id: string }, sink: OutputSink): OutputSource {
  const link = new PollLink(pane.socket);
  let isClosed = false;
  let size = "";
  let shown = "";
  const format = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y}";
  const read = async (): Promise<void> => {
    const outcome = await link.run([
      ["display-message", "-p", "-t", pane.id, format],
      ["capture-pane", "-e", "-p", "-t", pane.id],
    ]);
    if (isClosed) return;
    const [sizes, text] = outcome.kind === "answer" ? outcome.replies : [];
    if (sizes == null || text == null) {
      sink.ended("The agent's tmux pane is gone, or tmux does not answer.");
      return;
    }
    const [cols = 80, rows = 24, x = 0, y = 0] = sizes.split(" ").map(Number);
    if (size !== `${cols}x${rows}`) sink.reset({ cols, rows });
    size = `${cols}x${rows}`;
    const drawn = `\u001b[0m\u001b[2J\u001b[H${text.split("\n").join("\u001b[0m\r\n")}\u001b[${y + 1};${x + 1}H`;
    if (drawn !== shown) sink.output(Buffer.from(drawn));
    shown = drawn;
    timer = setTimeout(() => void read(), POLL_MS);
  };
  let timer = setTimeout(() => void read(), 0);
  return {
    pause() {},
    resume() {},
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
