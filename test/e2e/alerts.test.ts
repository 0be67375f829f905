/** Alerts of the real daemon into a channel that fails in every way, while the daemon itself is killed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { askHostProcess } from "../../src/terminal/ask.js";
import { findSession } from "../../src/terminal/registry.js";
import { AlertLedger, storedDeliveries } from "../support/alert-ledger.js";
import { withConstants } from "../support/constants.js";
import { TestDaemon } from "../support/daemon.js";
import { closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";
import { agent } from "../support/loops.js";
import { HttpReceiver } from "../support/receivers.js";
import { screen } from "../support/steps.js";

const FULL = Boolean(process.env.ROUSE_FULL);
const ALERTS = FULL ? 1000 : 100;
const KILLS = FULL ? 20 : 3;
/** The waits inside name what they wait for; a busy machine took six times as long as an idle one. */
const LIMIT_MS = FULL ? 3_600_000 : 600_000;
const PATIENCE_MS = 60_000;
const OK = { status: 200 } as const;
const SEED = Number(process.env.ROUSE_SEED ?? 20261115);

/** The same sequence for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

let home: Home;
let daemon: TestDaemon;
let receiver: HttpReceiver;
beforeEach(async () => {
  home = makeHome();
  Object.assign(home.env, withConstants({ ALERT_TIMING: { groupWaitMs: 0, groupOver: 10_000, retryMs: 20 } }));
  daemon = new TestDaemon(home);
  receiver = new HttpReceiver();
  const url = await receiver.start();
  mkdirSync(join(home.path, "config"), { recursive: true });
  writeFileSync(
    join(home.path, "config", "config.toml"),
    `version = 1
[channels.ops]
type = "webhook"
url = "${url}/hook"
secret = "s3cret-of-the-user"
allow_private = true
`,
  );
});
afterEach(async () => {
  await daemon.kill();
  await receiver.stop();
  await closeHome(home);
});

/** An agent that waits for an answer, as its host would report it. */
async function asks(n: number): Promise<void> {
  const session = `chaos-${n}`;
  const now = Date.now();
  await daemon.put(
    `/v1/sessions/${session}`,
    agent({ id: session, name: `a${n}`, pid: null, pidStart: null, startedAt: now }),
  );
  const dialog = screen({ composer: "hidden", dialog: { prompt: "permission", question: `Question ${n}?` } });
  await daemon.post(`/v1/sessions/${session}/signals`, {
    from: 1,
    signals: [
      { kind: "status", source: "title", status: "working", at: now },
      { ...dialog, at: now },
    ],
  });
}

describe("alerts into a channel that fails", () => {
  it(
    `are all sent, ${ALERTS} over ${KILLS} kills; each duplicate has the key of an alert whose answer was lost`,
    async () => {
      const dice = random(SEED);
      const ledger = new AlertLedger();
      receiver.behave = (received) => {
        const roll = dice();
        const how =
          roll < 0.3 ? { status: roll < 0.15 ? 500 : 503 } : roll < 0.35 ? "reset" : roll < 0.45 ? "lost" : OK;
        ledger.take(received, how);
        return how;
      };
      daemon.start();
      await daemon.judges();
      for (let n = 0; n < ALERTS; n++) await asks(n);
      for (let kill = 1; kill <= KILLS; kill++) {
        const share = Math.floor((ALERTS * kill) / (KILLS + 1));
        await until(`${share} alerts before kill ${kill}`, () => ledger.agents.size >= share, 120_000);
        await daemon.kill("SIGKILL");
        await receiver.idle();
        // Alerts are sent one at a time.
        expect(ledger.ended(storedDeliveries(rousePaths(home.env).journal, "ops"))).toBeLessThanOrEqual(1);
        daemon.start();
        await daemon.judges();
      }
      await until(`all alerts (seed ${SEED})`, () => ledger.agents.size >= ALERTS, 240_000).catch((error: Error) => {
        throw new Error(`${error.message}: ${ledger.agents.size} of ${ALERTS} arrived`);
      });
      expect(await daemon.ask("/v1/daemon")).toMatchObject({ journal: { failures: 0 } });
      // A daemon that is asked to stop waits for the pending answer.
      await daemon.kill("SIGTERM");
      await receiver.idle();
      const stored = storedDeliveries(rousePaths(home.env).journal, "ops");
      expect(ledger.ended(stored)).toBe(0);
      expect(ledger.agents.size).toBe(ALERTS);
      expect(ledger.unexplained(stored)).toEqual([]);
      const copies = [...ledger.copies.values()].reduce((sum, n) => sum + n, 0);
      expect(copies - ledger.copies.size).toBeLessThanOrEqual(ledger.swallowed + ledger.late + ledger.killed);
      expect(ledger.swallowed).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});

describe("rouse alert", () => {
  it(
    "tests a channel, lists sent alerts, and highlights failed ones, without a secret",
    async () => {
      receiver.behave = () => ({ status: 400 });
      daemon.start();
      await daemon.judges();
      const refused = await rouse(home, ["alert", "test", "ops"]);
      expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining("not sent: 127.0.0.1:") });
      await asks(1);
      await until(
        "the alert to fail",
        async () => {
          const { stdout } = await rouse(home, ["alert", "list", "--json"]);
          return stdout.includes('"state":"failed"');
        },
        PATIENCE_MS,
      );
      const status = await rouse(home, ["status"]);
      expect(status.stdout).toContain("ALERTS: 1 could not be sent (ops: ");
      const doctor = await rouse(home, ["doctor"]);
      expect(doctor.stdout).toMatch(/FAIL\s+alerts\s+1 could not be sent/);
      receiver.behave = () => ({ status: 200 });
      expect((await rouse(home, ["alert", "test", "ops"])).status).toBe(0);
      expect((await rouse(home, ["alert", "retry"])).stdout).toBe("Retrying 1 alert.\n");
      const hasArrived = (): boolean =>
        receiver.received.some(({ body }) => body.includes("Question 1?") && body.includes('"opened"'));
      await until("the alert to arrive", hasArrived, PATIENCE_MS);
      const isQuiet = async (): Promise<boolean> => !(await rouse(home, ["status"])).stdout.includes("ALERTS");
      await until("status to be quiet again", isQuiet, PATIENCE_MS);
      const unknown = await rouse(home, ["alert", "test", "opz"]);
      expect(unknown).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('no channel named "opz"; did you mean ops?'),
      });
      const shown = [refused, status, doctor, await rouse(home, ["alert", "channels"])]
        .map(({ stdout }) => stdout)
        .join();
      expect(shown).not.toMatch(/s3cret-of|\/hook/);
    },
    LIMIT_MS,
  );
});

describe("rouse messages", () => {
  it(
    "shows an orchestrator's messages until they are acknowledged, and follows new ones",
    async () => {
      daemon.start();
      await daemon.judges();
      expect((await rouse(home, ["messages"])).stdout).toBe("");
      await asks(1);
      interface Inbox {
        messages: { msg_type: string; payload: { worker_name: string; prompt_preview: string } }[];
      }
      const read = async (...more: string[]): Promise<Inbox["messages"]> =>
        (JSON.parse((await rouse(home, ["messages", "--json", ...more])).stdout) as Inbox).messages;
      await until("the message", async () => (await read()).length === 1, PATIENCE_MS);
      expect(await read("--ack")).toMatchObject([
        { msg_type: "worker.needs_input", payload: { worker_name: "a1", prompt_preview: "Question 1?" } },
      ]);
      expect(await read()).toEqual([]);
      expect(await read("--all")).toHaveLength(1);
      expect((await rouse(home, ["messages", "send", "--tag", "team", "hello"])).status).toBe(0);
      const terminal = rouseInTerminal(home, ["messages", "--tag", "team", "--follow", "--ack"]);
      await terminal.shows("hello");
      await rouse(home, ["messages", "send", "--tag", "team", "and more"]);
      await terminal.shows("and more");
      // Shown before it is acknowledged: a client that leaves in between gets it again.
      await until("its acknowledgement", async () => (await read("--tag", "team")).length === 0, PATIENCE_MS);
      terminal.write("\u0003");
      await terminal.exited;
    },
    LIMIT_MS,
  );
});

describe("the terminal channel", () => {
  it("rings in the terminal of rouse run, between two sequences of the program", async () => {
    const terminal = rouseInTerminal(home, ["run", "--name", "human", "--", "sh", "-c", "printf ready; cat"]);
    await terminal.shows("ready");
    const paths = rousePaths(home.env);
    let socket = "";
    await until("its host", () => {
      socket = findSession(paths, "human")?.hostSocket ?? "";
      return socket !== "";
    });
    const asked = await askHostProcess(
      socket,
      { op: "notify", text: "api waits\u001b[31m for you" },
      "notified",
      20_000,
    );
    expect(asked).toMatchObject({ kind: "answer", event: { terminals: 1 } });
    await terminal.shows("\u0007\u001b]9;api waits [31m for you\u0007");
    terminal.write("\u0004");
    await terminal.exited;
  });
});
