import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NotifyingLoop } from "../../test/support/notifier.js";
import { START } from "../../test/support/steps.js";
import type { WorkTotals } from "../core/notices/pipeline-text.js";
import { Digests } from "./digests.js";

let test: NotifyingLoop;
beforeEach(() => {
  test = new NotifyingLoop();
});
afterEach(() => test.close());

const MINUTE = 60_000;
const digests = (pattern: string, work: (since: number) => Promise<WorkTotals> | null = () => null): Digests =>
  new Digests({
    pattern,
    outbox: test.journal.outbox,
    channels: ["ops"],
    incidentState: () => test.loop.incidents,
    states: () => ["working", "working", "needs_input"],
    work,
    now: () => test.loop.now(),
  });
const made = (): string[] => test.journal.outbox.list(10).map(({ notice }) => `${notice.kind} ${notice.title}`);

describe("the digest", () => {
  it("is made once at each time of its schedule, with a tag that separates it from alerts", () => {
    const first = digests("*/10 * * * *");
    for (let minute = 0; minute < 25; minute++) {
      test.hand.pass(MINUTE);
      first.tick(test.loop.now());
      first.tick(test.loop.now());
    }
    expect(made()).toEqual(["digest Digest: 2 working, 1 needs_input", "digest Digest: 2 working, 1 needs_input"]);
    expect(test.journal.outbox.lastDigest()).toBe(START + 20 * MINUTE);
  });

  it("is not sent late for a time at which no daemon was running, and is not repeated after a restart", () => {
    digests("*/10 * * * *").tick(test.loop.now());
    test.hand.pass(35 * MINUTE);
    const second = digests("*/10 * * * *");
    second.tick(test.loop.now());
    expect(made()).toEqual([]);
    test.hand.pass(6 * MINUTE);
    second.tick(test.loop.now());
    digests("*/10 * * * *").tick(test.loop.now());
    expect(made()).toHaveLength(1);
  });

  it("is not a problem: no recovery is reported for it after a restart", async () => {
    digests("*/10 * * * *").tick(test.loop.now());
    const first = digests("*/10 * * * *");
    test.hand.pass(10 * MINUTE);
    first.tick(test.loop.now());
    await test.wait(30);
    test.join();
    await test.wait(60);
    expect(test.arrived.map(({ edge, title }) => `${edge} ${title}`)).toEqual([
      "digest Digest: 2 working, 1 needs_input",
    ]);
    expect(test.journal.outbox.states()).toEqual([]);
  });

  it("waits for the totals of the queue, but not for a hub that does not answer", async () => {
    const totals: WorkTotals = { pending: 1, processing: 2, blocked: 0, done: 3, failed: 0 };
    const lines = (): readonly string[] => test.journal.outbox.list(1)[0]?.notice.lines ?? [];
    const since: number[] = [];
    const answering = digests("*/10 * * * *", async (from) => {
      since.push(from);
      return totals;
    });
    test.hand.pass(10 * MINUTE);
    answering.tick(test.loop.now());
    expect(made()).toEqual([]);
    await Promise.resolve();
    answering.tick(test.loop.now());
    expect(lines()[0]).toBe("Pipeline running. 1 pending, 2 processing. Closed: 3 done.");
    test.hand.pass(10 * MINUTE);
    answering.tick(test.loop.now());
    expect(since).toEqual([START - 24 * 60 * MINUTE + 10 * MINUTE, START + 10 * MINUTE]);
    await Promise.resolve();
    answering.tick(test.loop.now());
    const silent = digests("*/10 * * * *", () => new Promise(() => {}));
    test.hand.pass(10 * MINUTE);
    silent.tick(test.loop.now());
    test.hand.pass(29_000);
    silent.tick(test.loop.now());
    expect(made()).toHaveLength(2);
    test.hand.pass(1_000);
    silent.tick(test.loop.now());
    expect(made()).toHaveLength(3);
    expect(lines()[0]).toMatch(/^last 10 min/);
  });

  it("refuses an invalid pattern", () => {
    expect(() => digests("every morning")).toThrow("CronPattern");
  });
});
