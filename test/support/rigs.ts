/** The fake agent in each kind of terminal that rouse can control, and its received input. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { HostClient } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import type { ScreenState } from "../../src/core/policy/typing-checks.js";
import { HostTerminal } from "../../src/effects/keys/host-terminal.js";
import type { Terminal, TerminalCheck } from "../../src/effects/keys/terminal.js";
import { TmuxTerminal } from "../../src/effects/keys/tmux-terminal.js";
import { profileFor } from "../../src/programs/registry.js";
import { identityOf } from "../../src/sensors/process/process-sensor.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { type Arrival, type FakeScript, fakeAgent, receivedBy, spawnFake } from "./fake-agent.js";
import { closeHome, type Home, makeHome, rouse, TestTerminal, until } from "./hosts.js";
import { TestServer } from "./tmux.js";

export interface Rig {
  agent: AgentSession;
  terminal: Terminal;
  /** All received input, as one text. */
  received: () => string;
  arrivals: () => Arrival[];
  /** Types like a user, with Enter if the text ends with it. */
  human: (text: string) => Promise<void>;
  /** Puts a text into its composer; in a pane, without user input. */
  draft: (text: string) => Promise<void>;
  /** For a pane that became a shell: all its input, ended by an Enter of the test. */
  shell: () => Promise<string>;
  /** Waits until a check shows this. */
  sees: (isSo: (screenState: ScreenState) => boolean) => Promise<Extract<TerminalCheck<unknown>, { ticket: unknown }>>;
  close: () => Promise<void>;
}

export type RigMaker = (home: Home, name: string, script: FakeScript) => Promise<Rig>;

/** A home for each test, with a rig that is closed afterwards; a leftover process fails the test. */
export function useRigs(): {
  readonly home: Home;
  start: (make: RigMaker, ...steps: ({ do: string } & Record<string, unknown>)[]) => Promise<Rig>;
} {
  let home: Home;
  let rig: Rig | null = null;
  beforeEach(() => {
    home = makeHome();
  });
  afterEach(async () => {
    await rig?.close();
    rig = null;
    expect((await closeHome(home)).processes).toEqual([]);
  });
  return {
    get home() {
      return home;
    },
    start: async (make, ...steps) => {
      rig = await make(home, "agent", { steps });
      return rig;
    },
  };
}

export const hostRig: RigMaker = async (home, name, script) => {
  await spawnFake(home, name, { ...script, logs: true });
  const found = findSession(rousePaths(home.env), name) as FoundSession & { hostSocket: string };
  /** A user at an attached terminal. */
  const type = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const { cols, rows } = found;
      let close = (): void => {};
      const answered = ({ ev }: Record<string, unknown>): void => (ev === "info" ? close() : undefined);
      HostClient.connect(found, answered, resolve).then((client) => {
        close = () => client.close();
        client.send({ op: "attach", cols, rows });
        client.send({ op: "input", data: Buffer.from(text).toString("base64") });
        client.send({ op: "info" });
      }, reject);
    });
  return rigOf(home, name, found, new HostTerminal(found.hostSocket) as Terminal, {
    human: type,
    draft: type,
    shell: async () => "",
    close: async () => {
      await rouse(home, ["stop", name, "--grace", "5"]);
    },
  });
};

/**
 * How a pane's program starts the agent: a shell that stays in the agent's own group, or one with job control,
 * which takes the terminal back and keeps its input.
 */
const AROUND: Readonly<Record<string, string>> = {
  shell: '"$@"; exec sh',
  jobs: 'set -m; "$@"; stty sane; while IFS= read -r line; do printf "%s\\n" "$line" >>"$ENTERED"; done',
};

/** Below a shell that outlives the agent, or in a pane that holds its dead program. */
export const tmuxRig =
  (place: "pane" | "shell" | "jobs" | "dead" = "pane"): RigMaker =>
  async (home, name, script) => {
    const server = new TestServer();
    const command = fakeAgent(home, name, { ...script, logs: true });
    const around = AROUND[place];
    const inPane = around === undefined ? command : ["sh", "-c", around, "sh", ...command];
    const size = ["-x", "110", "-y", "34"];
    const entered = join(server.folder, "entered");
    const env = ["-e", `ROUSE_HOME=${home.path}`, "-e", `ENTERED=${entered}`];
    await server.tmux("new-session", "-d", ...size, ...env, ...inPane);
    if (place === "dead") await server.tmux("set-option", "-w", "remain-on-exit", "on");
    const pane = await server.tmux("list-panes", "-F", "#{pane_id}");
    const pid = await agentBelow(server);
    const agent: AgentSession = {
      id: `tmux-${name}`,
      name,
      kind: "claude-code",
      tags: [],
      origin: "tmux",
      command,
      workspace: home.path,
      task: null,
      policy: null,
      pid,
      pidStart: identityOf(pid),
      startedAt: Date.now(),
      hostSocket: null,
      pane: { socket: server.socket, id: pane },
      endedAt: null,
    };
    const terminal = new TmuxTerminal(agent, profileFor("claude-code")) as Terminal;
    const clients: TestTerminal[] = [];
    return rigOf(home, name, agent, terminal, {
      human: async (text) => {
        if (clients.length === 0) {
          const attach = ["tmux", "-u", "-f", "/dev/null", "-S", server.socket, "attach"];
          clients.push(new TestTerminal(home, attach, { cols: 110, rows: 35 }));
          await until("the client", async () => (await server.tmux("list-clients")) !== "");
        }
        clients[0]?.write(text);
      },
      draft: async (text) => {
        await server.tmux("send-keys", "-t", pane, "-l", text);
      },
      shell: async () => {
        const kept = (): string => (existsSync(entered) ? readFileSync(entered, "utf8") : "");
        // Input before the shell has its terminal back may be lost.
        await until("the shell to read", async () => {
          await server.tmux("send-keys", "-t", pane, "-l", `${END}\n`);
          return kept().includes(END);
        });
        return kept().slice(0, kept().indexOf(END));
      },
      close: async () => {
        terminal.close();
        await server.stop();
        await Promise.all(clients.map((client) => client.exited));
      },
    });
  };

const MAIN = "/fake-agent/main.mjs";
const END = "=end=";

async function agentBelow(server: TestServer): Promise<number> {
  const { readArgv, readProcTable } = await import("../../src/sensors/process/proc.js");
  const root = Number(await server.tmux("list-panes", "-F", "#{pane_pid}"));
  let found: number | null = null;
  await until("the agent to start", async () => {
    const below = (await readProcTable())?.descendants(root).map((row) => row.pid) ?? [];
    found = [root, ...below].find((pid) => readArgv(pid)?.[1]?.endsWith(MAIN)) ?? null;
    return found !== null;
  });
  return found as unknown as number;
}

function rigOf(
  home: Home,
  name: string,
  agent: AgentSession,
  terminal: Terminal,
  own: Pick<Rig, "human" | "draft" | "shell" | "close">,
): Rig {
  return {
    agent,
    terminal,
    ...own,
    arrivals: () => receivedBy(home, name),
    received: () =>
      receivedBy(home, name)
        .map(({ text }) => text)
        .join(""),
    sees: async (isSo) => {
      let last: TerminalCheck<unknown> | null = null;
      const fits = async (): Promise<boolean> => {
        last = await terminal.check();
        return last.terminalState !== null && isSo(last.terminalState.screenState);
      };
      await until("the terminal to show it", fits).catch((error: Error) => {
        throw new Error(`${error.message}; the last check was ${JSON.stringify(last)}`);
      });
      return last as unknown as Extract<TerminalCheck<unknown>, { ticket: unknown }>;
    },
  };
}
