import { afterEach, describe, expect, it } from "vitest";
import { CANARIES } from "../support/canaries.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { agent, WORKING } from "../support/loops.js";
import { NotifyingLoop } from "../support/notifier.js";
import { screen } from "../support/steps.js";

let test: NotifyingLoop;
afterEach(() => test.close());

/**
 * Everything that is sent about agents that write this text everywhere: inboxes, the outbox, and delivered alerts.
 */
async function reported(texts: readonly string[]): Promise<{ all: string; messages: number; alerts: number }> {
  test = new NotifyingLoop();
  test.rules = { groupWaitMs: 0, groupOver: 100_000 };
  test.join();
  for (const [n, text] of texts.entries()) {
    const said = `see ${text} there`;
    const names = [`q${n}`, `e${n}`, `c${n}`] as const;
    for (const name of names) {
      test.loop.register(agent({ id: name, name, task: said }));
      await test.send(name, WORKING);
    }
    const [asks, fails, ends] = names;
    await test.send(asks, [
      screen({ composer: "hidden", dialog: { prompt: "permission", question: said }, tail: [said, said] }),
    ]);
    await test.send(fails, [
      { kind: "error", source: "transcript", cause: "policy_refusal", final: true, digest: "d", text: said },
      { kind: "status", source: "title", status: "idle" },
      screen({ tail: [said] }),
    ]);
    await test.send(ends, [{ kind: "status", source: "title", status: "idle" }, screen({ tail: [said] })]);
    await test.send(ends, [{ kind: "report", source: "report", state: "complete", text: said }]);
  }
  await test.wait(30);
  const inbox = test.messages;
  const outbox = test.journal.outbox.list(1000);
  return { all: JSON.stringify([inbox, outbox, test.arrived]), messages: inbox.length, alerts: test.arrived.length };
}

describe("a notice", () => {
  it(`contains none of ${CANARIES.length} formats of secrets, wherever an agent writes them`, async () => {
    const { all, messages, alerts } = await reported(CANARIES);
    expect(messages).toBeGreaterThanOrEqual(2 * CANARIES.length);
    expect(alerts).toBeGreaterThanOrEqual(2 * CANARIES.length);
    expect(CANARIES.filter((canary) => all.includes(JSON.stringify(canary).slice(1, -1)))).toEqual([]);
  });

  it("contains no control byte, no direction mark and no half of a character", async () => {
    const { all, alerts } = await reported([EVIL]);
    expect(alerts).toBeGreaterThanOrEqual(2);
    const texts: string[] = [];
    JSON.parse(all, (_key, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
    expect(texts.filter((text) => UNSAFE.test(text))).toEqual([]);
  });
});
