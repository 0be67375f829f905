/**
 * The real daemon is killed at random moments, at its start as well, while agents work: whatever a host was told to be
 * stored is in the journal, the file is sound, and the agents notice nothing.
 *
 * A host forgets what was acknowledged and never sends it again, so one acknowledged signal that is not stored leaves a
 * hole in the numbers that nothing fills any more: numbers without a hole prove that none was lost.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askHost } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { SessionView } from "../../src/daemon/view.js";
import type { Why } from "../../src/daemon/why.js";
import { type FoundSession, listSessions } from "../../src/host/registry.js";
import { openJournal } from "../../src/store/journal.js";
import { loadSqlite } from "../../src/store/sqlite.js";
import { spawnFake } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const KILLS = process.env.ROUSE_FULL ? 50 : 10;
const NAMES = ["one", "two", "three"];
/** The daemon answers after some 300 ms: half of the moments lie before that. */
const MOMENT_MS = 1200;
const JUDGING_MS = 30_000;

let home: Home;
/** Kills the daemon that was started last, and waits for its end. */
let kill = async (): Promise<void> => {};

beforeEach(() => {
  // Off: the hosts start none by themselves, so that the test alone knows which daemon runs.
  home = makeHome("off");
});

afterEach(async () => {
  await kill();
  for (const { name } of living()) await rouse(home, ["stop", name, "--grace", "0"]);
  const { processes } = await closeHome(home);
  expect(processes).toEqual([]);
});

const paths = () => rousePaths(home.env);
const living = (): FoundSession[] => listSessions(paths()).filter(({ isAlive }) => isAlive);
const pids = (): number[] => living().flatMap(({ pid, hostPid }) => [pid ?? 0, hostPid]);
const ask = (path: string): Promise<unknown> => askDaemon(paths().daemonSocket, "GET", path).catch(() => null);

function start(): void {
  const daemon = spawn(process.execPath, [BIN, "up", "--foreground"], { env: home.env, stdio: "ignore" });
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  kill = () => {
    daemon.kill("SIGKILL");
    return ended;
  };
}

/** Every agent is known, works, and has brought news that is younger than this. */
async function untilJudging(after: number): Promise<void> {
  const isNew = (view: SessionView): boolean =>
    view.state === "working" && Date.parse(view.last_progress ?? "") > after && NAMES.includes(view.name);
  const isJudging = async (): Promise<boolean> =>
    ((await ask("/v1/sessions")) as { agents: SessionView[] } | null)?.agents.filter(isNew).length === NAMES.length;
  await until("every agent to be judged again", isJudging, JUDGING_MS).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await ask("/v1/sessions"))}`);
  });
}

/** What is wrong with the journal, read while nobody writes it. */
function faultsOfJournal(): string[] {
  const { journal, notes: faults } = openJournal(paths().journal);
  for (const { session, name } of journal.sessions()) {
    let stored = 0;
    for (const { seq } of journal.read(session)) {
      if (seq === null) continue;
      if (seq !== stored + 1) faults.push(`${name}: ${seq} follows ${stored}`);
      stored = seq;
    }
    if (stored !== journal.acked(session))
      faults.push(`${name}: ${journal.acked(session)} acknowledged, ${stored} stored`);
  }
  const { lost, skipped } = journal.stats();
  if (lost + skipped > 0) faults.push(`${lost} lost, ${skipped} unreadable`);
  journal.close();
  const database = loadSqlite().open(paths().journal);
  const [integrity] = Object.values(database.prepare("pragma integrity_check").get() ?? {});
  if (integrity !== "ok") faults.push(String(integrity));
  database.close();
  return faults;
}

describe("a daemon killed at random moments", () => {
  it("has lost nothing, judges again, and leaves the agents alone", { timeout: 1_200_000 }, async () => {
    await Promise.all(
      NAMES.map((name) => spawnFake(home, name, { steps: [{ do: "pulse", perSecond: 60 }, { do: "stream" }] })),
    );
    start();
    await untilJudging(0);
    const before = pids();
    expect(before).toHaveLength(2 * NAMES.length);
    const moments: number[] = [];
    for (let round = 0; round < KILLS; round++) {
      const moment = Math.floor(Math.random() * MOMENT_MS);
      moments.push(moment);
      await sleep(moment);
      await kill();
      const killedAt = Date.now();
      const where = `killed after ${moments.join(", ")} ms`;
      expect({ faults: faultsOfJournal(), pids: pids() }, where).toEqual({ faults: [], pids: before });
      start();
      // Every other round it may be killed while it starts; else it must come to judge.
      if (round % 2 === 0) await untilJudging(killedAt);
    }
    await untilJudging(Date.now());
    for (const name of NAMES) {
      const { timeline } = (await ask(`/v1/sessions/${name}/why`)) as Why;
      expect(timeline.filter(({ state }) => state !== "working" && state !== "starting" && state !== "idle")).toEqual(
        [],
      );
    }
    for (const found of living() as (FoundSession & { hostSocket: string })[]) {
      expect(await askHost(found, { op: "info" }, "info")).toMatchObject({ droppedSignals: 0, isWatching: true });
    }
  });
});
