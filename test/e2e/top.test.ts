import { type IPty, spawn } from "@lydell/node-pty";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { reaches, spawnFake } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { PlainTerminal } from "../support/plain-terminal.js";

let home: Home;
let daemon: TestDaemon;

/** `rouse top` in a terminal whose screen can be read. */
class TopRun {
  readonly screen: PlainTerminal;
  readonly #pty: IPty;
  code: number | null = null;

  constructor(cols: number, rows: number, more: NodeJS.ProcessEnv = {}) {
    this.screen = new PlainTerminal(cols, rows);
    const env = { ...home.env, ...more } as Record<string, string>;
    this.#pty = spawn(process.execPath, [BIN, "top"], { env, cols, rows, name: more.TERM ?? "xterm-256color" });
    this.#pty.onData((data) => this.screen.write(data));
    this.#pty.onExit(({ exitCode }) => {
      this.code = exitCode;
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.screen.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  signal(name: string): void {
    this.#pty.kill(name);
  }

  shows(text: string | RegExp): Promise<void> {
    const isShown = (): boolean =>
      this.screen.lines().some((line) => (typeof text === "string" ? line.includes(text) : text.test(line)));
    return until(`the screen to show ${text}`, isShown).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.screen.lines().join("\n")}`);
    });
  }

  /** The exit code, and whether cursor, wrapping, paste mode and screen are as before. */
  async end(): Promise<{ code: number | null; modes: ReturnType<PlainTerminal["modes"]> }> {
    await until("rouse top to end", () => this.code !== null);
    return { code: this.code, modes: this.screen.modes() };
  }
}

const AS_BEFORE = { isAlternate: false, isWrapping: true, isCursorShown: true, isPasteMarked: false };
let top: TopRun;

beforeAll(async () => {
  home = makeHome("on");
  daemon = new TestDaemon(home);
  daemon.start();
  await daemon.judges();
  await spawnFake(home, "asks", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }] });
  await spawnFake(home, "works", {
    steps: [
      { do: "idle", ms: 500 },
      { do: "think", ms: 900_000 },
    ],
  });
  await reaches(home, "asks", "needs_input/permission");
});

afterEach(() => {
  if (top?.code === null) top.signal("SIGKILL");
});

afterAll(async () => {
  for (const { name } of listSessions(rousePaths(home.env)).filter(({ isAlive }) => isAlive))
    await rouse(home, ["stop", name, "--grace", "0"]);
  await daemon.kill("SIGTERM");
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("rouse top", () => {
  it("quotes the question of an agent, explains it, refuses to answer a permission, acknowledges it, and ends clean", async () => {
    top = new TopRun(80, 24);
    await top.shows(/^> asks +needs_input\/permission/);
    await top.shows(/1 healthy: 1 \w+/);
    top.type("t");
    await top.shows("asks asks for a permission; answer it in its terminal");
    top.type("\r");
    await top.shows("Evidence");
    top.type("\u001b");
    top.type("x");
    await top.shows("Acknowledged needs_input of asks");
    await top.shows(/4 acknowledged 1/);
    top.type("q");
    expect(await top.end()).toEqual({ code: 0, modes: AS_BEFORE });
  });

  it("draws every size again, down to 20 columns, and opens the healthy agents by their number", async () => {
    top = new TopRun(200, 50);
    await top.shows(/5 healthy 1/);
    top.type("5");
    await top.shows(/^> works /);
    for (const [cols, rows] of [
      [80, 24],
      [20, 10],
      [120, 30],
    ] as const) {
      top.resize(cols, rows);
      await top.shows(/^> works? /);
      expect(top.screen.lines()).toHaveLength(rows);
    }
    top.type("l");
    await top.shows("works: recent output");
    top.type("\u0003");
    expect(await top.end()).toEqual({ code: 130, modes: AS_BEFORE });
  });

  it("restores the terminal when it is terminated", async () => {
    top = new TopRun(80, 24);
    await top.shows("rouse");
    top.signal("SIGTERM");
    expect(await top.end()).toEqual({ code: 143, modes: AS_BEFORE });
  });

  it("keeps its last answer when the daemon is killed, follows the next one, and restores the terminal in between", async () => {
    top = new TopRun(80, 24);
    await top.shows(/^> \w+/);
    await daemon.kill("SIGKILL");
    await top.shows("The daemon has not answered for");
    await top.shows(/^> \w+/);
    const other = new TopRun(80, 24);
    await until("the other to end", () => other.code !== null);
    expect(other.code).toBe(69);
    daemon.start();
    await daemon.judges();
    await until("the note to go away", () => !top.screen.lines().some((line) => line.includes("has not answered")));
    await rouse(home, ["silence", "works", "--for", "1h"]);
    top.type("q");
    expect(await top.end()).toEqual({ code: 0, modes: AS_BEFORE });
  });
});

describe("rouse top that cannot run", () => {
  it("says so without a terminal, with TERM=dumb and with an argument, and leaves the terminal alone", async () => {
    expect(await rouse(home, ["top"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^rouse: top needs an interactive terminal; use `rouse status`/),
    });
    expect((await rouse(home, ["top", "--fast"])).status).toBe(2);
    top = new TopRun(80, 24, { TERM: "dumb" });
    await until("its end", () => top.code !== null);
    expect(top.code).toBe(1);
    expect(top.screen.lines().join("\n")).toContain("top needs an interactive terminal");
  });
});
