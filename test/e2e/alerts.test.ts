/** Alerts of the real daemon into a channel that fails in every way, while the daemon itself is killed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { ask } from "../../src/host/ask.js";
import { findSession } from "../../src/host/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";
import { agent } from "../support/loops.js";
import { HttpReceiver } from "../support/receivers.js";
import { screen } from "../support/steps.js";

const FULL = Boolean(process.env.ROUSE_FULL);
const ALERTS = FULL ? 1000 : 100;
const KILLS = FULL ? 20 : 3;
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
  daemon = new TestDaemon(home);
  receiver = new HttpReceiver();
  const url = await receiver.start();
  mkdirSync(join(home.path, "config"), { recursive: true });
  writeFileSync(
    join(home.path, "config", "config.toml"),
    `version = 1
[alerts]
group_wait_seconds = 0
group_over = 10000
retry_seconds = 0.02
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

/** An agent that waits for an answer, as its host would tell it. */
async function asks(n: number): Promise<void> {
  const session = `chaos-${n}`;
  const now = Date.now();
  await daemon.put(
    `/v1/sessions/${session}`,
    agent({ session, name: `a${n}`, pid: null, pidStart: null, startedAt: now }),
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

interface Sent {
  key: string;
  edge: string;
  agents: string[];
}

describe("alerts into a channel that fails", () => {
  it(`lose none of ${ALERTS} over ${KILLS} kills; what comes twice has the same key, and no more than answers were lost`, async () => {
    const dice = random(SEED);
    let lost = 0;
    receiver.behave = () => {
      const roll = dice();
      if (roll < 0.3) return { status: roll < 0.15 ? 500 : 503 };
      if (roll < 0.35) return "reset";
      if (roll < 0.45) {
        lost++;
        return "lost";
      }
      return { status: 200 };
    };
    /** What the receiver has taken: not what it answered with an error. */
    const taken = new Map<string, string[]>();
    const behave = receiver.behave;
    let repeats = 0;
    receiver.behave = (received) => {
      const how = behave(received);
      const isTaken = how === "lost" || (typeof how === "object" && how.status === 200);
      const { key, edge, agents } = JSON.parse(received.body) as Sent;
      if (isTaken && edge === "opened") {
        if (taken.has(key)) repeats++;
        taken.set(key, agents);
      }
      return how;
    };
    daemon.start();
    await daemon.judges();
    for (let n = 0; n < ALERTS; n++) await asks(n);
    for (let kill = 1; kill <= KILLS; kill++) {
      const share = Math.floor((ALERTS * kill) / (KILLS + 1));
      await until(`${share} alerts before kill ${kill}`, () => taken.size >= share, 120_000);
      await daemon.kill("SIGKILL");
      daemon.start();
      await daemon.judges();
    }
    await until(`all alerts (seed ${SEED})`, () => taken.size >= ALERTS, 240_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${taken.size} of ${ALERTS} arrived`);
    });
    expect(await daemon.ask("/v1/journal")).toMatchObject({ failures: 0 });
    const agents = [...taken.values()].flat();
    expect(new Set(agents).size).toBe(ALERTS);
    expect(agents).toHaveLength(ALERTS);
    // One may be under way at each kill: taken, and nobody left to note it.
    expect(repeats).toBeLessThanOrEqual(lost + KILLS);
  });
});

describe("rouse alert", () => {
  it("tests a channel, lists what was sent, and shows loudly what was not, without a secret", async () => {
    receiver.behave = () => ({ status: 400 });
    daemon.start();
    await daemon.judges();
    const refused = await rouse(home, ["alert", "test", "ops"]);
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining("not sent: 127.0.0.1:") });
    await asks(1);
    await until("the alert to be given up", async () => {
      const { stdout } = await rouse(home, ["alert", "list", "--json"]);
      return stdout.includes('"state":"dead"');
    });
    const status = await rouse(home, ["status"]);
    expect(status.stdout).toContain("ALERTS: 1 could not be sent, the last over ops: ");
    const doctor = await rouse(home, ["doctor"]);
    expect(doctor.stdout).toMatch(/FAIL\s+alerts\s+1 could not be sent/);
    receiver.behave = () => ({ status: 200 });
    expect((await rouse(home, ["alert", "test", "ops"])).status).toBe(0);
    expect((await rouse(home, ["alert", "retry"])).stdout).toBe("1 alerts are tried again\n");
    await until("the alert to arrive", () =>
      receiver.received.some(({ body }) => body.includes("Question 1?") && body.includes('"opened"')),
    );
    await until("status to be quiet again", async () => !(await rouse(home, ["status"])).stdout.includes("ALERTS"));
    const unknown = await rouse(home, ["alert", "test", "opz"]);
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no channel "opz"; did you mean ops?'),
    });
    const shown = [refused, status, doctor, await rouse(home, ["alert", "channels"])]
      .map(({ stdout }) => stdout)
      .join();
    expect(shown).not.toMatch(/s3cret-of|\/hook/);
  });
});

describe("rouse messages", () => {
  it("shows what an orchestrator is told until it is acknowledged, and follows what comes", async () => {
    daemon.start();
    await daemon.judges();
    expect((await rouse(home, ["messages"])).stdout).toBe("");
    await asks(1);
    interface Inbox {
      messages: { msg_type: string; payload: { worker_name: string; prompt_preview: string } }[];
    }
    const read = async (...more: string[]): Promise<Inbox["messages"]> =>
      (JSON.parse((await rouse(home, ["messages", "--json", ...more])).stdout) as Inbox).messages;
    await until("the message", async () => (await read()).length === 1);
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
    terminal.write("\u0003");
    await terminal.exited;
    expect(await read("--tag", "team")).toEqual([]);
  });
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
    const asked = await ask(socket, { op: "notify", text: "api waits\u001b[31m for you" }, "notified", 20_000);
    expect(asked).toMatchObject({ kind: "answer", event: { terminals: 1 } });
    await terminal.shows("\u0007\u001b]9;api waits [31m for you\u0007");
    terminal.write("\u0004");
    await terminal.exited;
  });
});
