/** The real daemon as a child of the test, which controls its start and its end. */
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

/** A host would retry without an answer in time; a test sends once. */
const PATIENCE_MS = 60_000;

export class TestDaemon {
  readonly #home: Home;
  /** The output of the last daemon, for a failed test. */
  words = "";
  /** How the last daemon ended; null while it runs. */
  end: string | null = null;
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
    this.end = null;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.words = (this.words + text).slice(-2000);
    });
    this.#ended = new Promise((resolve) =>
      child.once("exit", (code, signal) => {
        if (this.#child === child) this.end = `ended with ${signal ?? code}`;
        resolve();
      }),
    );
  }

  /** Sends a signal; waits for the end if the signal ends the daemon. */
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

  /** Waits for the first round of judging; returns the daemon's own report of it. */
  async judges(ms = 60_000): Promise<Health> {
    let health: Health | null = null;
    await until(
      "the daemon to judge",
      async () => {
        health = await this.ask<Health>("/v1/health");
        return health !== null && health.judging !== null && health.judging !== undefined;
      },
      ms,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; its health is ${JSON.stringify(health)}, it printed ${this.words}`);
    });
    return health as unknown as Health;
  }
}
