/** The fake agent in each kind of terminal that rouse can touch, and what arrived in it. */

import { afterEach, beforeEach, expect } from "vitest";
import { profileFor } from "../../src/agents/registry.js";
import { askHost } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import type { Glance } from "../../src/core/touch.js";
import { HostTerminal } from "../../src/effects/host-terminal.js";
import type { Look, Terminal } from "../../src/effects/terminal.js";
import { TmuxTerminal } from "../../src/effects/tmux-terminal.js";
import { type FoundSession, findSession } from "../../src/host/registry.js";
import { identityOf } from "../../src/sensors/process/process-sensor.js";
import { type Arrival, type FakeScript, fakeAgent, receivedBy, spawnFake } from "./fake-agent.js";
import { closeHome, type Home, makeHome, rouse, TestTerminal, until } from "./hosts.js";
import { TestServer } from "./tmux.js";

export interface Rig {
  agent: AgentSession;
  terminal: Terminal;
  /** Everything that arrived, as one text. */
  received: () => string;
  arrivals: () => Arrival[];
  /** What a person types, with Enter if it ends so. */
  human: (text: string) => Promise<void>;
  /** Waits until a look tells this. */
  sees: (isSo: (glance: Glance) => boolean) => Promise<Extract<Look<unknown>, { ticket: unknown }>>;
  close: () => Promise<void>;
}

export type RigMaker = (home: Home, name: string, script: FakeScript) => Promise<Rig>;

/** A home for each test, and a rig in it that is closed afterwards; a process that is left over fails the test. */
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
  return rigOf(home, name, found, new HostTerminal(found.hostSocket) as Terminal, {
    human: async (text) => {
      const enter = text.endsWith("\r");
      await askHost(found, { op: "type", text: enter ? text.slice(0, -1) : text, enter }, "typed");
    },
    close: async () => {
      await rouse(home, ["stop", name, "--grace", "5"]);
    },
  });
};

/** Below a shell that lives on when the agent ends, or in a pane that holds its dead. */
export const tmuxRig =
  (place: "pane" | "shell" | "dead" = "pane"): RigMaker =>
  async (home, name, script) => {
    const server = new TestServer();
    const command = fakeAgent(home, name, { ...script, logs: true });
    const inPane = place !== "shell" ? command : ["sh", "-c", '"$@"; exec sh', "sh", ...command];
    const size = ["-x", "110", "-y", "34"];
    await server.tmux("new-session", "-d", ...size, "-e", `ROUSE_HOME=${home.path}`, ...inPane);
    if (place === "dead") await server.tmux("set-option", "-w", "remain-on-exit", "on");
    const pane = await server.tmux("list-panes", "-F", "#{pane_id}");
    const pid = await agentBelow(server);
    const agent: AgentSession = {
      session: `tmux-${name}`,
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
      close: async () => {
        terminal.close();
        await server.stop();
        await Promise.all(clients.map((client) => client.exited));
      },
    });
  };

const MAIN = "/fake-agent/main.mjs";

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
  own: Pick<Rig, "human" | "close">,
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
      let last: Look<unknown> | null = null;
      const fits = async (): Promise<boolean> => {
        last = await terminal.look();
        return last.sight !== null && isSo(last.sight.glance);
      };
      await until("the terminal to show it", fits).catch((error: Error) => {
        throw new Error(`${error.message}; the last look was ${JSON.stringify(last)}`);
      });
      return last as unknown as Extract<Look<unknown>, { ticket: unknown }>;
    },
  };
}
