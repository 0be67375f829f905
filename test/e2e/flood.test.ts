import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import type { Signal } from "../../src/core/signal.js";
import { askDaemon } from "../../src/daemon/client.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const FULL = process.env.ROUSE_FULL === "1";
const FLOOD_BYTES = (FULL ? 1500 : 20) * 1024 * 1024;
const BYTES_PER_SECOND = 50 * 1024 * 1024;
const MEMORY_MAX_MB = 256;
/** The flood shares the machine with the test itself. */
const DELAY_MAX_MS = 1000;
const OTHERS = 5;
const TIMEOUT_MS = FULL ? 600_000 : 90_000;

/** Writes 50 MB a second, or what the terminal takes: lines, colours, a screen drawn over and over. */
const FLOOD = `
const line = "\\x1b[32mok\\x1b[0m a line of the output of a build that never ends\\r\\n";
const block = Buffer.from(("\\x1b[H" + line.repeat(40)).repeat(200));
const from = performance.now();
let written = 0;
const next = () => {
  const due = ((performance.now() - from) / 1000) * ${BYTES_PER_SECOND};
  while (written < due) {
    written += block.length;
    if (!process.stdout.write(block)) return void process.stdout.once("drain", next);
  }
  setTimeout(next, 5);
};
next();
`;

let home: Home;
beforeEach(() => {
  home = makeHome("on");
});
afterEach(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const ask = (method: "GET" | "PUT" | "POST", path: string, body?: unknown): Promise<unknown> =>
  askDaemon(rousePaths(home.env).daemonSocket, method, path, body, {}, TIMEOUT_MS);

const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;

/** Another agent reports activity; returns the time until that was stored and judged. */
async function reportOf(n: number, from: number): Promise<number> {
  const startedAt = performance.now();
  const signals: Signal[] = [{ kind: "output", at: Date.now(), source: "screen", bytes: 100 + from }];
  expect(await ask("POST", `/v1/sessions/other-${n}/signals`, { from, signals })).toEqual({ acked: from });
  return performance.now() - startedAt;
}

it("a flood from one agent is counted, needs bounded memory, and does not affect the judgement of others", {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const file = join(home.path, "flood.mjs");
  writeFileSync(file, FLOOD);
  expect((await rouse(home, ["up"])).status).toBe(0);
  for (let n = 0; n < OTHERS; n++) {
    const session = { id: `other-${n}`, name: `other-${n}`, kind: "generic", tags: [], origin: "spawn" };
    const nothing = { workspace: null, task: null, policy: null, pid: null, pidStart: null, hostSocket: null };
    const times = { startedAt: Date.now(), endedAt: null, pane: null, command: ["other"] };
    await ask("PUT", `/v1/sessions/other-${n}`, { ...session, ...nothing, ...times });
  }
  expect((await rouse(home, ["spawn", "--name", "flood", "--", process.execPath, file])).stderr).toBe("");
  const flood = findSession(rousePaths(home.env), "flood") as FoundSession & { hostSocket: string };
  const before = (await ask("GET", "/v1/health")) as { ticks: number; pid: number };
  const delays: number[] = [];
  const startedAt = performance.now();
  let info: Record<string, unknown> = {};
  let round = 0;
  await until(
    "the flood to pass",
    async () => {
      round++;
      for (let n = 0; n < OTHERS; n++) delays.push(await reportOf(n, round));
      info = await askHost(flood, { op: "info" }, "info");
      const { ticks } = (await ask("GET", "/v1/health")) as { ticks: number };
      // Skipped output is counted when the host checks, every 750 ms; 20 MB may pass before the first check.
      return Number(info.outputBytes) > FLOOD_BYTES && ticks > before.ticks && Number(info.skippedBytes) > 0;
    },
    TIMEOUT_MS,
  );
  const rate = Number(info.outputBytes) / ((performance.now() - startedAt) / 1000) / 1024 / 1024;
  expect(info).toMatchObject({ isWatching: true, droppedSignals: 0 });
  expect(Number(info.skippedBytes)).toBeLessThan(Number(info.outputBytes));
  const peaks = { host: peakMb(flood.hostPid), daemon: peakMb(before.pid) };
  expect(peaks.host, `the host's peak in MB at ${rate.toFixed(0)} MB/s`).toBeLessThan(MEMORY_MAX_MB);
  expect(peaks.daemon, "the daemon's peak in MB").toBeLessThan(MEMORY_MAX_MB);
  if (FULL) {
    const worst = Math.max(...delays);
    console.log(
      `flood: ${rate.toFixed(0)} MB/s, ${delays.length} signals of others, worst ${worst.toFixed(0)} ms,`,
      peaks,
    );
    expect(worst).toBeLessThan(DELAY_MAX_MS);
  }
  expect((await rouse(home, ["stop", "flood", "--grace", "2"])).stdout).toContain("none left");
});
