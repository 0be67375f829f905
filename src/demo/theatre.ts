/** Starts the demo's process, polls it and removes everything of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { callOperation } from "../api/remote.js";
import { type RousePaths, rousePaths } from "../config/paths.js";
import { countWaits, noCounts, PROC_WAIT_FILES, starvation, type WaitCounts } from "../sensors/process/starvation.js";
import type { StoryInput } from "./story.js";
import { endAtHome } from "./sweep.js";

const CPU_EVERY_MS = 2000;

export class Theatre {
  readonly #home: string;
  readonly paths: RousePaths;
  readonly #stage: ChildProcess;
  readonly #over: Promise<void>;
  /** Start of the fast clocks. */
  readonly since: number;
  /** Why it ended early; null if it did not. */
  failure: string | null = null;
  #isClosing = false;
  #waits: WaitCounts;
  /** Real milliseconds that the daemon of the demo waited for a CPU. */
  starvedMs = 0;

  private constructor(home: string, env: NodeJS.ProcessEnv, since: number, stage: ChildProcess) {
    this.#home = home;
    this.paths = rousePaths(env);
    this.since = since;
    this.#stage = stage;
    this.#waits = noCounts(since);
    this.#over = new Promise((resolve) => stage.once("exit", () => resolve()));
    createInterface({ input: stage.stdout as Readable }).on("line", (line) => {
      if (!this.#isClosing) this.failure ??= (JSON.parse(line) as { error?: string }).error ?? null;
    });
    void this.#over.then(() => {
      if (!this.#isClosing) this.failure ??= logged(home) || "its process exited";
    });
  }

  /** The agents start one after the other. `port`: of the demo's dashboard; 0: none. */
  static open(times: number, port = 0): Theatre {
    const home = mkdtempSync(join(tmpdir(), "rouse-demo-"));
    const since = Date.now();
    const env = stageEnvironment(home, since, times, port);
    const log = openSync(join(home, "log"), "a", 0o600);
    // A separate session: signals of the terminal reach only this process, which then closes the stage.
    const stage = spawn(process.execPath, [fileURLToPath(new URL("./stage.js", import.meta.url))], {
      env,
      cwd: home,
      detached: true,
      stdio: ["pipe", "pipe", log],
    });
    closeSync(log);
    stage.stdin?.on("error", () => {});
    return new Theatre(home, env, since, stage);
  }

  /** Null if the daemon does not answer at present. */
  async check(): Promise<StoryInput | null> {
    this.#checkCpu(Date.now());
    const { daemonSocket } = this.paths;
    try {
      const [{ agents }, { incidents }] = await Promise.all([
        callOperation(daemonSocket, "agents", { ended: true }),
        callOperation(daemonSocket, "incidents", { all: true }),
      ]);
      return { agents, incidents };
    } catch {
      return null;
    }
  }

  /** The agents' fast clocks leave no room for a busy machine. */
  #checkCpu(at: number): void {
    if (at - this.#waits.at < CPU_EVERY_MS) return;
    const waits = countWaits([this.#stage.pid ?? 0], at, PROC_WAIT_FILES);
    this.starvedMs += starvation(this.#waits, waits)?.lostMs ?? 0;
    this.#waits = waits;
  }

  /** The stage cleans up when its standard input closes; if it was killed, this does. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stage.stdin?.end();
    await this.#over;
    if (!existsSync(this.#home)) return;
    await endAtHome(this.#home, this.paths);
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** The user's environment without anything that points to the user's rouse. */
function stageEnvironment(home: string, since: number, times: number, port: number): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("ROUSE_") && !FOREIGN_VARIABLES.has(name),
  );
  const clock = new URL(`./fast-time.js?since=${since}&times=${times}`, import.meta.url);
  return {
    ...Object.fromEntries(own),
    ROUSE_HOME: home,
    ROUSE_DAEMON: "off",
    ROUSE_DAEMON_HTTP_PORT: String(port),
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${clock.href}`].filter(Boolean).join(" "),
  };
}

/** Variables of another service, terminal or session. */
const FOREIGN_VARIABLES: ReadonlySet<string> = new Set(["NOTIFY_SOCKET", "WATCHDOG_USEC", "TMUX", "TMUX_PANE"]);

function logged(home: string): string {
  try {
    return readFileSync(join(home, "log"), "utf8").trim().split("\n").slice(-3).join(" ");
  } catch {
    return "";
  }
}
