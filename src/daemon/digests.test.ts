import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NotifyingLoop } from "../../test/support/notifier.js";
import { START } from "../../test/support/steps.js";
import { Digests } from "./digests.js";

let test: NotifyingLoop;
beforeEach(() => {
  test = new NotifyingLoop();
});
afterEach(() => test.close());

const MINUTE = 60_000;
const digests = (pattern: string): Digests =>
  new Digests({
    pattern,
    outbox: test.journal.outbox,
    channels: ["ops"],
    incidentState: () => test.loop.incidents,
    states: () => ["working", "working", "needs_input"],
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

  it("refuses an invalid pattern", () => {
    expect(() => digests("every morning")).toThrow("CronPattern");
  });
});
