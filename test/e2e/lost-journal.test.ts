/** A journal that is damaged or deleted while agents run: what can be seen again is reported again, and nothing is accused. */
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { reaches, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const TIMEOUT_MS = 240_000;

let home: Home;
let daemon: TestDaemon;

beforeEach(() => {
  home = makeHome("off");
  daemon = new TestDaemon(home);
});

afterEach(async () => {
  for (const { name, isAlive } of listSessions(paths())) if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await daemon.kill();
  const { processes } = await closeHome(home);
  expect(processes).toEqual([]);
});

const paths = () => rousePaths(home.env);

/** One agent at its prompt, and one with an open permission dialog; neither shows anything new after that. */
async function watchTwo(): Promise<void> {
  daemon.start();
  await daemon.judges();
  await spawnFake(home, "i", { steps: [{ do: "idle" }] });
  await spawnFake(home, "q", { steps: [{ do: "ask" }] });
  await reaches(home, "i", "idle");
  await reaches(home, "q", "needs_input/permission");
}

const LOSSES: Readonly<Record<string, () => void>> = {
  "was damaged": () => {
    const file = openSync(paths().journal, "r+");
    writeSync(file, "damaged".repeat(4), 0);
    closeSync(file);
  },
  "was deleted": () => {
    for (const name of readdirSync(paths().state).filter((one) => /^journal\.db(-|$)/.test(one)))
      rmSync(`${paths().state}/${name}`);
  },
};

describe("a journal that", { timeout: TIMEOUT_MS }, () => {
  it.each(Object.keys(LOSSES))("%s loses no open question, and no agent is accused", async (what) => {
    await watchTwo();
    // After a regular end nothing of it is in the write-ahead log, from which SQLite would repair it.
    await daemon.kill("SIGTERM");
    LOSSES[what]?.();
    daemon.start();
    await daemon.judges();
    const asking = await reaches(home, "q", "needs_input/permission", 30_000);
    expect(asking.question).toContain("git push");
    await reaches(home, "i", "idle", 30_000);
    const messages = async (): Promise<{ msg_type: string; payload: { worker_name: string } }[]> =>
      JSON.parse((await rouse(home, ["messages", "--json"])).stdout).messages;
    await until("the question to be reported again", async () => (await messages()).length > 0);
    expect((await messages()).map(({ msg_type, payload }) => [msg_type, payload.worker_name])).toEqual([
      ["worker.needs_input", "q"],
    ]);
  });
});
