/**
 * The first frame of `rouse top`, from the start of the process to the last byte of the frame on a terminal, beside an empty
 * Node.js on the same kind of terminal, with agents to show.
 */
import { spawn } from "@lydell/node-pty";
import { rousePaths } from "../dist/config/paths.js";
import { askDaemon } from "../dist/daemon/client.js";
import { BIN, canMeasure, ended, makeHome, median, removeHome, startDaemon } from "./processes.mjs";

const ROUNDS = 25;
const RATIO_MAX = 2;
const AGENTS = 20;
/** End of a synchronized update. */
const FRAME_END = "\u001b[?2026l";

export async function benchTop() {
  if (!canMeasure) return [];
  const home = makeHome("off");
  const daemon = await startDaemon(home);
  for (let n = 0; n < AGENTS; n++) await register(home, `agent-${n}`);
  const took = { empty: [], top: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      took.empty.push(await timeUntil(home, ["-e", "0"], null));
      took.top.push(await timeUntil(home, [BIN, "top"], FRAME_END));
    }
  } finally {
    daemon.kill("SIGTERM");
    await ended(daemon);
    removeHome(home);
  }
  const [empty, top] = [median(took.empty), median(took.top)];
  return [
    {
      name: `rouse top, first frame with ${AGENTS} agents (median of ${ROUNDS})`,
      figure: top / empty,
      unit: "× node -e 0",
      relation: "<=",
      bar: RATIO_MAX,
      detail: { ms: top, emptyMs: empty },
    },
  ];
}

/** As a host registers its agent. A daemon that has just started is asked again. */
async function register(home, id) {
  for (let tries = 0; tries < 100; tries++) {
    const isStored = await put(home, id).then(
      () => true,
      () => false,
    );
    if (isStored) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the daemon takes no agents");
}

const put = (home, id) =>
  askDaemon(rousePaths(home.env).daemonSocket, "PUT", `/v1/sessions/${id}`, {
    id,
    name: id,
    kind: "claude-code",
    tags: [],
    origin: "spawn",
    command: ["claude"],
    workspace: null,
    task: null,
    policy: null,
    pid: null,
    pidStart: null,
    startedAt: Date.now(),
    hostSocket: null,
    pane: null,
    endedAt: null,
  });

/** Milliseconds until the output contains `mark`, or until the end of the process without one. */
function timeUntil({ env, path }, args, mark) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let output = "";
    let took = null;
    const child = spawn(process.execPath, args, { env: { ...env, TERM: "xterm" }, cwd: path, cols: 80, rows: 24 });
    child.onData((data) => {
      output = (output + data).slice(-100_000);
      if (took !== null || mark === null || !output.includes(mark)) return;
      took = performance.now() - began;
      child.kill("SIGKILL");
    });
    child.onExit(() => {
      if (took !== null || mark === null) resolve(took ?? performance.now() - began);
      else reject(new Error(`rouse top ended without a frame: ${output.slice(-300)}`));
    });
  });
}
