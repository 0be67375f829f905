import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import type { Precondition } from "../../core/policy/typing-checks.js";
import { profileFor } from "../../programs/registry.js";
import type { Command, TmuxAnswer } from "../../sensors/tmux/link.js";
import { TmuxTerminal } from "./tmux-terminal.js";

/** The agent's process as the system shows it. */
const agentProcess = vi.hoisted(() => ({ start: "s", tty: "/dev/pts/7", isInFront: true }));
vi.mock("../../sensors/process/process-sensor.js", async (original) => ({
  ...(await original<object>()),
  identityOf: () => agentProcess.start,
  isInFront: () => agentProcess.isInFront,
}));
vi.mock("../../sensors/process/proc.js", async (original) => ({
  ...(await original<object>()),
  readProcRow: () => agentProcess,
}));
vi.mock("../../sensors/process/ps.js", async (original) => ({
  ...(await original<object>()),
  readPsRow: () => agentProcess,
}));

const NOW = 1_794_732_400_000;
beforeEach(() => {
  Object.assign(agentProcess, { start: "s", tty: "/dev/pts/7", isInFront: true });
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const RULE = "─".repeat(58);
const SCREEN = ["● Done.", "", RULE, "❯ ", RULE, "  ? for shortcuts"].join("\n");
const FIELDS: Readonly<Record<string, string>> = {
  pane_id: "%1",
  pane_pid: "100",
  pane_dead: "0",
  pane_in_mode: "0",
  pane_input_off: "0",
  pane_synchronized: "0",
  pane_width: "60",
  pane_height: "10",
  cursor_x: "2",
  cursor_y: "3",
  pane_tty: "/dev/pts/7",
  pid: "90",
  session_id: "$1",
  window_id: "@1",
  pane_current_command: "claude",
  session_activity: String(NOW / 1000 - 500),
};

/** A tmux server with one pane; `changes` are fields of the pane. */
class FakeServer {
  fields: Record<string, string>;
  clients: readonly string[] = [];
  /** The place of a refused command in a batch. */
  refuses: number | null = null;
  answersWith: TmuxAnswer | null = null;
  /** Whether the pane is as the condition of a press wants it; null prints neither. */
  holds: boolean | null = true;
  readonly sent: string[] = [];

  constructor(changes: Record<string, string> = {}) {
    this.fields = { ...FIELDS, ...changes };
  }

  async run(commands: readonly Command[]): Promise<TmuxAnswer> {
    if (this.answersWith) return this.answersWith;
    return { kind: "answer", replies: commands.map((one, at) => (at === this.refuses ? null : this.#reply(one))) };
  }

  #reply(command: Command): string {
    const expanded = (format = ""): string => format.replace(/#\{([^}]+)\}/g, (_, name) => this.fields[name] ?? "");
    switch (command[0]) {
      case "list-panes":
      case "display-message":
        return expanded(command.at(-1));
      case "list-clients":
        return this.clients.join("\n");
      case "capture-pane":
        return SCREEN;
      case "if-shell": {
        if (this.holds === null) return "";
        const chosen = command[this.holds ? 5 : 6] ?? "";
        if (this.holds) this.sent.push(/-H ([0-9a-f ]+) ;/.exec(chosen)?.[1] ?? "");
        return /display-message -p (\S+)/.exec(chosen)?.[1] ?? "";
      }
      default:
        throw new Error(`unknown command ${command[0]}`);
    }
  }
}

const agent = sessionOf({
  kind: "claude-code",
  origin: "tmux",
  pid: 100,
  pidStart: "s",
  pane: { socket: "/none", id: "%1" },
});
const open = (server: FakeServer, changes: Partial<typeof agent> = {}): TmuxTerminal =>
  new TmuxTerminal({ ...agent, ...changes }, profileFor("claude-code"), { link: server });

async function check(server: FakeServer, changes: Partial<typeof agent> = {}) {
  const terminal = open(server, changes);
  const result = await terminal.check();
  terminal.close();
  return result.terminalState === null ? result.reason : result.terminalState;
}

describe("the check of a tmux pane", () => {
  it("reads the screen of the agent's pane", async () => {
    expect(await check(new FakeServer())).toMatchObject({ screenState: { composer: "empty", dialog: null } });
  });

  it("needs a valid pane id", () => {
    const terminal = (id: string) => () => open(new FakeServer(), { pane: { socket: "/none", id } });
    expect(terminal("%1")).not.toThrow();
    expect(terminal("%1;kill-server")).toThrow("the agent is not in a tmux pane");
    expect(() => open(new FakeServer(), { pane: null })).toThrow("the agent is not in a tmux pane");
  });

  it.each([0, 1, 2, 3, 4])(
    "says that the pane is gone if the server refuses command %i of the batch",
    async (place) => {
      const server = new FakeServer();
      server.refuses = place;
      expect(await check(server)).toBe("the pane is gone");
    },
  );

  it("says whether the server is gone or does not respond", async () => {
    const server = new FakeServer();
    server.answersWith = { kind: "no_server" };
    expect(await check(server)).toBe("the tmux server is gone");
    server.answersWith = { kind: "failed", reason: "timeout" };
    expect(await check(server)).toBe("tmux does not respond: timeout");
  });

  it("reads nothing from a pane that shows another process than the agent's", async () => {
    expect(await check(new FakeServer(), { pid: null })).toBe("no agent program was found in the pane");
    expect(await check(new FakeServer(), { pidStart: null })).toBe("no agent program was found in the pane");
    expect(await check(new FakeServer({ pane_tty: "/dev/pts/8" }))).toBe("the agent is no longer in this pane");
    agentProcess.isInFront = false;
    expect(await check(new FakeServer())).toBe("another program is in the foreground of the pane");
    agentProcess.start = "another";
    expect(await check(new FakeServer())).toBe("the agent's process is gone");
  });

  it("reads nothing from a pane in copy mode or without room", async () => {
    expect(await check(new FakeServer({ pane_in_mode: "1" }))).toBe("the pane is in copy mode");
    expect(await check(new FakeServer({ pane_width: "1" }))).toBe("the pane is too small or too large to read");
  });
});

describe("the time since a user typed into a tmux pane", () => {
  const quiet = async (clients: readonly string[], changes: Record<string, string> = {}) => {
    const server = new FakeServer(changes);
    server.clients = clients;
    const state = await check(server);
    return typeof state === "string" ? state : state.quietMs / 1000;
  };
  const ago = (seconds: number): number => NOW / 1000 - seconds;

  it("is unlimited if no client was ever attached", async () => {
    expect(await quiet([])).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts from the end of the second of the latest input into the same session or window", async () => {
    expect(await quiet([`${ago(50)} 0 $1 @9`, `${ago(20)} 0 $9 @1`, `${ago(5)} 0 $9 @9`])).toBe(19);
    expect(await quiet([`${ago(0)} 0 $1 @1`])).toBe(0);
  });

  it("does not count the clients of a program", async () => {
    expect(await quiet([`${ago(50)} 0 $1 @1`, `${ago(20)} 1 $1 @1`])).toBe(49);
  });

  it("counts from the session's own activity if a client has been detached since", async () => {
    expect(await quiet([], { session_last_attached: String(ago(900)) })).toBe(499);
    expect(await quiet([`${ago(20)} 0 $1 @1`], { session_last_attached: String(ago(900)) })).toBe(19);
  });
});

describe("a key press into a tmux pane", () => {
  async function press(server: FakeServer, meanwhile: () => void = () => {}, more: Partial<Precondition> = {}) {
    const terminal = open(server);
    const { terminalState, ...rest } = await terminal.check();
    if (terminalState === null || !("ticket" in rest)) throw new Error("the pane could not be read");
    meanwhile();
    const { composerDigest } = terminalState.screenState;
    const precondition: Precondition = { draft: "", turn: "idle", quietMs: 0, composerDigest, ...more };
    const pressed = await terminal.press(rest.ticket, { kind: "text", text: "go\u00e9" }, precondition);
    terminal.close();
    return "reason" in pressed ? `${pressed.result}: ${pressed.reason}` : pressed.result;
  }

  it("sends the bytes as hexadecimal numbers", async () => {
    const server = new FakeServer();
    expect(await press(server)).toBe("pressed");
    expect(server.sent).toEqual(["67 6f c3 a9"]);
  });

  it("is refused if the pane has changed since the check", async () => {
    const server = new FakeServer();
    server.holds = false;
    expect(await press(server)).toBe("refused: the pane has changed since the check");
    expect(server.sent).toEqual([]);
  });

  it("is refused without a command to the server if the rules object or the process is another one", async () => {
    const server = new FakeServer();
    expect(await press(server, undefined, { turn: "running" })).toBe("refused: no turn is running");
    const leave = (): void => {
      agentProcess.isInFront = false;
    };
    expect(await press(server, leave)).toBe("refused: another program is in the foreground of the pane");
    expect(server.sent).toEqual([]);
  });

  it("has an unknown result if the server does not answer or confirms nothing", async () => {
    const silent = new FakeServer();
    const fall = (): void => {
      silent.answersWith = { kind: "failed", reason: "timeout" };
    };
    expect(await press(silent, fall)).toBe("unknown: no answer from tmux: timeout");
    const odd = new FakeServer();
    odd.holds = null;
    expect(await press(odd)).toBe("unknown: tmux did not confirm the keys");
  });

  it("is refused if the server or the pane is gone", async () => {
    const server = new FakeServer();
    expect(
      await press(server, () => {
        server.refuses = 0;
      }),
    ).toBe("refused: the pane is gone");
    const ended = new FakeServer();
    expect(
      await press(ended, () => {
        ended.answersWith = { kind: "no_server" };
      }),
    ).toBe("refused: the tmux server is gone");
  });
});
