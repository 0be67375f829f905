/**
 * One request to the daemon, for commands that must start fast. The request is written by hand: `node:http` takes 12 ms
 * longer to load than `node:net`, on a start that takes 60.
 */
import { connect } from "node:net";

export interface HttpAnswer {
  status: number;
  body: string;
}

export interface Request {
  socketPath: string;
  /** Default: POST. */
  method?: "GET";
  path: string;
  body?: Buffer | string;
  headers: Readonly<Record<string, string | undefined>>;
  limitMs: number;
  /** Longest answer in characters; the rest is cut off. */
  answerMax?: number;
  /** False: return once the request is sent, without waiting for the daemon to process it. */
  waits?: boolean;
}

const ANSWER_MAX = 64 * 1024;
/** Printable ASCII: other bytes could start another header. */
const HEADER_VALUE = /^[\x20-\x7e]{1,400}$/;

/** Null without an answer in time. Never throws. */
export function sendRequest({
  socketPath,
  method,
  path,
  body = "",
  headers,
  limitMs,
  answerMax = ANSWER_MAX,
  waits = true,
}: Request): Promise<HttpAnswer | null> {
  return new Promise((resolve) => {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && HEADER_VALUE.test(value) ? [`${name}: ${value}`] : [],
    );
    // With HTTP 1.0 the answer is not chunked and ends with the connection.
    const head = [
      `${method ?? "POST"} ${path} HTTP/1.0`,
      "host: rouse",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      ...lines,
    ];
    const pieces: string[] = [];
    let length = 0;
    const socket = connect(socketPath);
    const finish = (answer: HttpAnswer | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(null), limitMs);
    socket.setEncoding("utf8");
    // A server that answers before reading the whole body resets the connection; the answer still counts.
    socket.on("error", () => finish(parseAnswer(pieces.join(""))));
    socket.on("data", (chunk: string) => {
      // Not one growing text: a large answer comes in thousands of chunks.
      pieces.push(chunk.slice(0, Math.max(0, answerMax - length)));
      length += chunk.length;
    });
    socket.on("close", () => finish(parseAnswer(pieces.join(""))));
    // In one write: a server that answers before reading the body closes, and a second write would fail before the answer is read.
    socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]), () => {
      if (!waits) finish({ status: 0, body: "" });
    });
  });
}

function parseAnswer(text: string): HttpAnswer | null {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const end = text.indexOf("\r\n\r\n");
  return status === undefined || end < 0 ? null : { status: Number(status), body: text.slice(end + 4) };
}
