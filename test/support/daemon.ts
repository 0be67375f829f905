/** The real daemon as a child of the test, which alone decides when it starts and how it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { BIN, type Home, until } from "./hosts.js";

export interface Health {
  ok: boolean;
  pid: number;
  ticks: number;
  judging: { after_ms: number; cpu_ms: number } | null;
}

/** A host would send again what was not answered in time; a test sends once. */
const PATIENCE_MS = 60_000;

export class TestDaemon {
  readonly #home: Home;
  /** What the last one said, for a test that fails. */
  words = "";
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(home: Home) {
    this.#home = home;
  }

  start(more: NodeJS.ProcessEnv = {}): void {
    const env = { ...this.#home.env, ...more };
    const child = spawn(process.execPath, [BIN, "up", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.words = (this.words + text).slice(-2000);
    });
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  /** Sends a signal; waits for the end where it is one that ends it. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#child?.kill(signal);
    if (signal === "SIGKILL" || signal === "SIGTERM") await this.#ended;
  }

  /** Null while it does not answer. */
  async ask<T>(path: string): Promise<T | null> {
    return (await askDaemon(rousePaths(this.#home.env).daemonSocket, "GET", path).catch(() => null)) as T | null;
  }

  put(path: string, body: unknown): Promise<unknown> {
    return askDaemon(rousePaths(this.#home.env).daemonSocket, "PUT", path, body, {}, PATIENCE_MS);
  }

  post(path: string, body: unknown): Promise<unknown> {
    return askDaemon(rousePaths(this.#home.env).daemonSocket, "POST", path, body, {}, PATIENCE_MS);
  }

  /** The first round of judging is finished; returns what the daemon itself says of it. */
  async judges(): Promise<Health> {
    let health: Health | null = null;
    await until(
      "the daemon to judge",
      async () => {
        health = await this.ask<Health>("/v1/health");
        return health !== null && health.judging !== null && health.judging !== undefined;
      },
      60_000,
    );
    return health as unknown as Health;
  }
}
