/** The real daemon on a small disk that fills up, with a host that reports to it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import { openJournal } from "../../src/store/journal.js";
import { DaemonLink } from "../../src/terminal/daemon-link.js";
import { storedDeliveries } from "../support/alert-ledger.js";
import { withConstants } from "../support/constants.js";
import { TestDaemon } from "../support/daemon.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { agent } from "../support/loops.js";
import { HttpReceiver } from "../support/receivers.js";
import { screen } from "../support/steps.js";

const TIMEOUT_MS = 240_000;
const WAIT_MS = 60_000;
/** A host sends this many signals at once. */
const BATCH = 200;

const canMount = mountable();
if (!canMount) console.log("test/e2e/full-disk.test.ts is skipped: mounting a tmpfs needs root");

let home: Home;
let daemon: TestDaemon;
let receiver: HttpReceiver;
let link: DaemonLink | null;

const paths = () => rousePaths(home.env);
const filler = (): string => join(paths().state, "filler");

beforeEach(async () => {
  link = null;
  home = makeHome();
  Object.assign(home.env, withConstants({ ALERT_TIMING: { groupWaitMs: 0, groupOver: 10_000, retryMs: 20 } }));
  daemon = new TestDaemon(home);
  receiver = new HttpReceiver();
  const url = await receiver.start();
  mkdirSync(join(home.path, "config"), { recursive: true });
  const channel = `[channels.ops]\ntype = "webhook"\nurl = "${url}/hook"\nallow_private = true\n`;
  writeFileSync(join(home.path, "config", "config.toml"), `version = 1\n${channel}`);
  mkdirSync(paths().state, { recursive: true, mode: 0o700 });
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", paths().state]);
});

afterEach(async () => {
  await link?.close(0);
  await daemon.kill();
  await receiver.stop();
  execFileSync("umount", ["--lazy", paths().state]);
  await closeHome(home);
});

describe.skipIf(!canMount)("on a full disk", { timeout: TIMEOUT_MS }, () => {
  it("alerts once about a question that opens meanwhile, stores it when there is room, and restarts cleanly", async () => {
    daemon.start();
    await daemon.judges();
    const session = agent({ id: "small-1", pid: null, pidStart: null, startedAt: Date.now() });
    link = new DaemonLink({ socketPath: paths().daemonSocket, session });
    link.give({ kind: "status", source: "title", status: "working", at: Date.now() });
    const view = (): Promise<SessionView | null> => daemon.ask<SessionView>("/v1/agents/api");
    await until("the agent to work", async () => (await view())?.state === "working", WAIT_MS);

    fill();
    // More than one request holds: the question is behind them.
    for (let n = 0; n < 2 * BATCH; n++) link.give(words(n));
    link.give({
      ...screen({ composer: "hidden", dialog: { prompt: "permission", question: "Deploy?" } }),
      at: Date.now(),
    });
    await until("the alert", () => alerts().length > 0, WAIT_MS);
    expect((await view())?.state).toBe("needs_input");
    expect((await rouse(home, ["status"])).stdout).toMatch(/^JOURNAL: it cannot be written \(.*full\)/m);
    expect(storedDeliveries(paths().journal, "ops")).toEqual(new Map());

    rmSync(filler());
    expect(await link.close(WAIT_MS)).toBe(true);
    await until("the alert to be stored", () => storedDeliveries(paths().journal, "ops").size === 1, WAIT_MS);
    await daemon.kill("SIGTERM");
    const { incidents, signals, deliveries } = stored();
    expect(incidents).toMatchObject([{ agent: "api", problem: "needs_input", endedAt: null }]);
    expect(signals).toBe(2 * BATCH + 2);
    expect(deliveries).toEqual(["ops sent"]);

    daemon.start();
    await daemon.judges();
    expect((await view())?.state).toBe("needs_input");
    const { ticks } = (await daemon.ask<{ ticks: number }>("/v1/health")) as { ticks: number };
    await until(
      "some rounds",
      async () => ((await daemon.ask<{ ticks: number }>("/v1/health"))?.ticks ?? 0) > ticks + 5,
    );
    expect(alerts()).toHaveLength(1);
    expect(daemon.words).not.toMatch(/damaged|cannot/);
  });
});

const words = (n: number) => ({
  ...screen({ busy: true, moving: true, replying: true, reply: `words ${n}` }),
  at: Date.now(),
});
const alerts = (): unknown[] => receiver.received;

/** Until nothing more fits. */
function fill(): void {
  for (const bytes of [64 * 1024, 4096, 1])
    try {
      for (;;) writeFileSync(filler(), Buffer.alloc(bytes), { flag: "a" });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
}

function stored() {
  const { journal } = openJournal(paths().journal);
  try {
    return {
      incidents: journal.incidentState.load().incidents,
      signals: [...journal.read("small-1")].length,
      deliveries: journal.outbox.list(10).map(({ channel, state }) => `${channel} ${state}`),
    };
  } finally {
    journal.close();
  }
}

function mountable(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = join("/tmp", `rouse-mount-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
