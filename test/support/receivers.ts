/** Receivers of alerts on this machine: an HTTP server that fails on demand, and a small SMTP server. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import type { Notice } from "../../src/core/notices/alert.js";
import { until } from "./hosts.js";

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** The sender closed the connection before it was answered. */
  isAbandoned: boolean;
}

/** The answer to a request: a status with headers, an answer lost after acceptance, or a connection cut before. */
export type Behaviour = { status: number; headers?: Record<string, string>; body?: string } | "lost" | "reset" | "hang";

export class HttpReceiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  behave: (received: Received) => Behaviour = () => ({ status: 200, body: "ok" });

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("error", () => {});
      const answer = async (): Promise<void> => {
        const { method = "", url = "", headers, socket } = request;
        const body = Buffer.concat(chunks).toString("utf8");
        // A receiver that is too late finds the request and its end together.
        for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
        const one = { method, path: url, headers, body, isAbandoned: socket.readableEnded || socket.destroyed };
        const how = this.behave(one);
        if (how !== "reset") this.received.push(one);
        if (how === "hang") return;
        if (how === "lost" || how === "reset") return void request.socket.destroy();
        response.writeHead(how.status, how.headers).end(how.body ?? "");
      };
      request.on("end", () => void answer());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until everything that an ended sender sent has been read. */
  async idle(): Promise<void> {
    const open = (): Promise<number> =>
      new Promise((resolve, reject) => this.#server.getConnections((error, n) => (error ? reject(error) : resolve(n))));
    await until("the receiver to have read everything", async () => (await open()) === 0);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Accepts mail without TLS, as on a private network. */
export class SmtpReceiver {
  readonly mails: string[] = [];
  /** The answer to the message itself. */
  answer = "250 taken";
  readonly #server: TcpServer = createTcpServer((socket) => this.#talk(socket));

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #talk(socket: Socket): void {
    let rest = "";
    let text: string[] | null = null;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    socket.on("error", () => {});
    say("220 test");
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (text !== null) {
          if (line !== ".") text.push(line);
          else {
            if (this.answer.startsWith("250")) this.mails.push(text.join("\r\n"));
            text = null;
            say(this.answer);
          }
        } else if (/^(?:EHLO|HELO)/.test(line)) say("250 test");
        else if (line === "DATA") {
          text = [];
          say("354 go on");
        } else if (line === "QUIT") {
          say("221 bye");
          socket.end();
        } else say("250 fine");
      }
    });
  }
}

export const notice = (fields: Partial<Notice> = {}): Notice => ({
  key: "k1",
  subject: "incident:i1.0",
  kind: "watchdog",
  edge: "opened",
  severity: "critical",
  at: Date.parse("2026-03-02T09:00:00Z"),
  title: "Watchdog: agent api is waiting for your answer",
  lines: ["api (claude-code)", "question: Run npm test?", "you can: rouse attach api"],
  agents: ["api"],
  incidents: ["i1"],
  ...fields,
});

/** Text by which an agent could reach a user in another name. */
export const FORGED: readonly string[] = [
  "<!channel> <!here> <!everyone> <@U012AB3CD> <#C012> <!subteam^S1>",
  "<https://evil.example|your bank> <mailto:a@b.c|x>",
  "@everyone @here <@123456789> <@&42> <#7> @channel",
  "[your bank](https://evil.example) ![x](http://evil.example/x.png) ||spoiler||",
  "```\nout of the block\n``` `a` ~~~",
  "https://evil.example http://169.254.169.254/ www.evil.example mailto:a@b.c tg://resolve?domain=x slack://open",
  "*bold* _it_ ~no~ > quote # head - list",
  "<b>bold</b> <a href='http://evil.example'>x</a> &lt;script&gt; <script>alert(1)</script>",
  "Subject: owned\r\nBcc: victim@evil.example\r\n\r\nbody",
  "\u001b]0;owned\u0007\u001b[31m\u009b31m\u202egnp.exe\u200b@everyone\u2028x",
  "x\n.\nQUIT\nMAIL FROM:<a@b.c>",
  `"; touch /tmp/owned; " $(touch /tmp/owned) \`touch /tmp/owned\``,
  "--help -u critical --icon=/etc/passwd",
  "😀".repeat(3000),
  "a".repeat(20_000),
];
