/**
 * The real daemon with 500 agents. Each sends the signals of a recorded session's terminal, at the pace of its checks,
 * over a link of its own, as a host does; each has a process and a workspace, which the daemon checks by itself.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rousePaths } from "../dist/config/paths.js";
import { generic } from "../dist/programs/generic/screens.js";
import { profileFor } from "../dist/programs/registry.js";
import { TerminalReader } from "../dist/readers/terminal/terminal.js";
import { identityOf } from "../dist/sensors/process/process-sensor.js";
import { DaemonLink } from "../dist/terminal/daemon-link.js";
import { canMeasure, cpuOf, ended, makeHome, memoryOf, removeHome, sleep, startDaemon } from "./processes.mjs";
import { CHECK_MS, casesIn, FIXTURES, readRecording } from "./recordings.mjs";

const AGENTS = 500;
const WORKSPACES = 25;
/** The first checks of every workspace are done by then. */
const WARM_UP_MS = 40_000;
const MEASURED_MS = 30_000;
const CORE_MAX = 0.25;
const AGENT_BYTES_MAX = 4 * 1024 * 1024;

export async function benchFleet({ profile } = {}) {
  if (!canMeasure) return [];
  const home = makeHome("off");
  const daemon = await startDaemon(home, profile);
  const bare = memoryOf(daemon.pid).resident;
  const agents = startAgents(home);
  const feeding = setInterval(() => feed(agents), CHECK_MS / 10);
  try {
    await sleep(WARM_UP_MS);
    const before = { cpu: cpuOf(daemon.pid), at: performance.now(), sent: sent(agents) };
    await sleep(MEASURED_MS);
    const cpu = cpuOf(daemon.pid);
    const ms = performance.now() - before.at;
    const { resident } = memoryOf(daemon.pid);
    const unseen = agents.filter(({ link }) => !link.isConnected || link.droppedSignals > 0).length;
    if (unseen > 0) throw new Error(`${unseen} of ${AGENTS} agents did not reach the daemon; nothing was measured`);
    return [
      {
        name: `daemon with ${AGENTS} agents, of one core`,
        figure: (cpu.own - before.cpu.own) / ms,
        unit: "cores",
        relation: "<=",
        bar: CORE_MAX,
        detail: {
          withChildren: (cpu.all - before.cpu.all) / ms,
          signalsPerSecond: (sent(agents) - before.sent) / (ms / 1000),
        },
      },
      {
        name: `daemon with ${AGENTS} agents, memory of each`,
        figure: (resident - bare) / AGENTS,
        unit: "bytes",
        relation: "<=",
        bar: AGENT_BYTES_MAX,
        detail: { daemonMB: resident / 1e6, withoutAgentsMB: bare / 1e6 },
      },
    ];
  } finally {
    clearInterval(feeding);
    for (const { link, child } of agents) {
      void link.close(0);
      child.kill("SIGKILL");
    }
    daemon.kill("SIGTERM");
    await ended(daemon);
    removeHome(home);
  }
}

function startAgents(home) {
  const scripts = casesIn(FIXTURES).map(readRecording).filter(Boolean).map(signalsOf);
  const workspaces = Array.from({ length: WORKSPACES }, (_, n) => makeWorkspace(join(home.path, `work-${n}`)));
  const { daemonSocket } = rousePaths(home.env);
  return Array.from({ length: AGENTS }, (_, n) => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    const script = scripts[n % scripts.length];
    const session = {
      id: `bench-${n}`,
      name: `bench-${n}`,
      kind: script.kind,
      tags: [],
      origin: "spawn",
      command: ["sleep", "600"],
      workspace: workspaces[n % WORKSPACES],
      task: null,
      policy: null,
      pid: child.pid,
      pidStart: identityOf(child.pid),
      startedAt: Date.now(),
      hostSocket: null,
      pane: null,
      endedAt: null,
    };
    const link = new DaemonLink({ socketPath: daemonSocket, session });
    // Each agent is at a different point of its session, and checks at a different time.
    return { child, link, script, check: n * 7, dueAt: performance.now() + ((n * 37) % CHECK_MS), sent: 0 };
  });
}

function feed(agents) {
  const now = performance.now();
  for (const agent of agents) {
    if (agent.dueAt > now) continue;
    agent.dueAt += CHECK_MS;
    const { checks } = agent.script;
    for (const signal of checks[agent.check++ % checks.length]) {
      agent.link.give({ ...signal, at: Date.now() });
      agent.sent++;
    }
  }
}

const sent = (agents) => agents.reduce((sum, agent) => sum + agent.sent, 0);

/** The signals of a recorded session's terminal, check by check. */
function signalsOf({ agent, cols, rows, checks }) {
  const profile = profileFor(agent);
  const reader = new TerminalReader(profile, { cols, rows, zone: "UTC", structure: generic });
  const reported = checks.map((writes, check) => {
    for (const bytes of writes) reader.write(bytes);
    return reader.check((check + 1) * CHECK_MS);
  });
  reader.dispose();
  return { kind: profile.id, checks: reported };
}

function makeWorkspace(path) {
  mkdirSync(join(path, "src"), { recursive: true });
  for (let n = 0; n < 40; n++) writeFileSync(join(path, "src", `part-${n}.ts`), `export const part = ${n};\n`);
  const git = (...args) => spawnSync("git", ["-C", path, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "begin");
  return path;
}
