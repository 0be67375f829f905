/** Giving work with `rouse type` and `rouse spawn --prompt`: the scripted agent in a real terminal, with all its faults. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageView } from "../../src/api/operations/records.js";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { TestDaemon } from "../support/daemon.js";
import { type FakeScript, fakeAgent, placeOf, reaches, receivedBy, spawnFake, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const TIMEOUT_MS = 180_000;
const TEXT = "mend the parser";
const WORK = [{ do: "think", ms: 1500 }, { do: "finish" }, { do: "idle" }] as const;

let home: Home;
let daemon: TestDaemon;

beforeAll(async () => {
  home = makeHome("on");
  home.env.CLAUDE_CONFIG_DIR = join(home.path, ".claude");
  daemon = new TestDaemon(home);
  daemon.start();
  await daemon.judges();
});

afterAll(async () => {
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  await daemon.kill();
  expect((await closeHome(home)).processes).toEqual([]);
});

/** The texts that were submitted with Enter, as the program received them. */
const submittedTo = (name: string): string[] =>
  receivedBy(home, name)
    .filter(({ text }) => text.includes("\r"))
    .map(({ draft }) => draft);

const completions = async (name: string): Promise<MessageView[]> => {
  const answer = await daemon.ask<{ messages: MessageView[] }>("/v1/messages");
  return (answer?.messages ?? []).filter(
    ({ msg_type, payload }) =>
      msg_type === "worker.complete" && (payload as { worker_name?: string }).worker_name === name,
  );
};

const spawned = async (name: string, steps: FakeScript["steps"]): Promise<void> =>
  spawnFake(home, name, { steps, logs: true, writes: true });

describe("rouse type", () => {
  it("waits for a program that is still loading, and its turn is reported as complete", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await spawned("slow", [{ do: "boot", ms: 4000 }, { do: "idle" }, ...WORK]);
    expect(await rouse(home, ["type", "slow", TEXT])).toMatchObject({
      status: 0,
      stdout: "Typed and sent; a turn started\n",
    });
    expect(submittedTo("slow")).toEqual([TEXT]);
    await until("the message of the completion", async () => (await completions("slow")).length === 1, 60_000);
  });

  it("types again if the program loses the text, or swallows Enter", { timeout: TIMEOUT_MS }, async () => {
    await spawned("loser", [{ do: "loses", ms: 7000 }, { do: "idle" }, ...WORK]);
    await spawned("deaf", [{ do: "swallows" }, { do: "idle" }, ...WORK]);
    const [lost, swallowed] = await Promise.all([
      rouse(home, ["type", "loser", TEXT]),
      rouse(home, ["type", "deaf", TEXT]),
    ]);
    expect(lost).toMatchObject({ status: 0 });
    expect(swallowed).toMatchObject({ status: 0 });
    expect(submittedTo("loser")).toEqual([TEXT]);
    // The first Enter had no effect.
    expect(submittedTo("deaf")).toEqual([TEXT, TEXT]);
    expect(await viewOf(home, "deaf")).not.toMatchObject({ state: "stuck" });
  });

  it("types nothing into a dialog or beside a draft, and ends with 1 and what to do", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await spawned("asking", [{ do: "asked" }, { do: "ask" }]);
    await spawned("drafted", [{ do: "drafts" }, { do: "idle" }]);
    await reaches(home, "asking", "needs_input/permission");
    await reaches(home, "drafted", "idle");
    const asking = await rouse(home, ["type", "asking", TEXT]);
    expect(asking.status).toBe(1);
    expect(asking.stderr).toMatch(/a dialog is open \(permission\); a user has to answer it \(`rouse go`\)/);
    const drafted = await rouse(home, ["type", "drafted", TEXT]);
    expect(drafted.status).toBe(1);
    expect(drafted.stderr).toMatch(/the composer contains a draft; send or clear it first/);
    expect([receivedBy(home, "asking"), receivedBy(home, "drafted")]).toEqual([[], []]);
  });

  it("does not count as a user at the keyboard", { timeout: TIMEOUT_MS }, async () => {
    await spawned("typed", [{ do: "idle" }, { do: "hang" }]);
    expect(await rouse(home, ["type", "typed", TEXT])).toMatchObject({ status: 0 });
    const why = await rouse(home, ["why", "typed", "--json"]);
    const { evidence } = JSON.parse(why.stdout) as { evidence: { kind: string }[] };
    expect(evidence.filter(({ kind }) => kind === "human")).toEqual([]);
  });
});

it("rouse spawn --prompt gives the prompt right after the start, also without a daemon", {
  timeout: TIMEOUT_MS,
}, async () => {
  const alone = makeHome("off");
  try {
    const script: FakeScript = { steps: [{ do: "boot", ms: 2000 }, { do: "idle" }, { do: "hang" }], logs: true };
    for (const one of [home, alone]) {
      const command = fakeAgent(one, "prompted", script);
      const args = ["spawn", "--name", "prompted", "--prompt", TEXT, "--", ...command];
      const started = await rouse(placeOf(one, "prompted"), args);
      expect(started).toMatchObject({ status: 0, stdout: "prompted\n", stderr: "" });
    }
    expect(submittedTo("prompted")).toEqual([TEXT]);
    expect(receivedBy(alone, "prompted").at(-1)).toMatchObject({ text: "\r", draft: TEXT });
    const never = fakeAgent(home, "never", { steps: [{ do: "boot" }] });
    const args = ["spawn", "--name", "never", "--prompt", TEXT, "--timeout", "2s", "--", ...never];
    const failed = await rouse(placeOf(home, "never"), args);
    expect(failed).toMatchObject({ status: 1, stdout: "never\n" });
    expect(failed.stderr).toMatch(
      /^rouse: never runs, but the prompt was not accepted: .*not ready for input within \d s/,
    );
  } finally {
    await rouse(alone, ["stop", "prompted", "--grace", "0"]);
    await closeHome(alone);
  }
});
