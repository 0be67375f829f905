/** Every kind of source, over the stand-ins for its tracker: real processes. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeSource } from "../../src/work/sources/registry.js";
import type { Source } from "../../src/work/sources/source.js";
import { Tracker } from "../support/trackers.js";

const ME = "web@lab";

describe.each(["beads", "github", "command"] as const)("a source of kind %s", (kind) => {
  let tracker: Tracker;
  let source: Source;

  beforeEach(() => {
    tracker = new Tracker(kind);
    source = makeSource(tracker.settings);
  });
  afterEach(() => tracker.remove());

  it("lists open items, and names who holds the others", async () => {
    tracker.add("1", "Fix the login");
    tracker.add("2", "Fix the logout", { holder: "alice" });
    const items = await source.list();
    expect(items.map(({ key, title, isOpen, holder }) => [key, title, isOpen, holder])).toEqual([
      ["1", "Fix the login", true, null],
      ["2", "Fix the logout", true, "alice"],
    ]);
    expect(items[0]?.description).toBe("About Fix the login");
  });

  it("marks an item, gives it back, and shows its holder to every reader", async () => {
    tracker.add("1", "Fix the login");
    await source.mark("1", "claimed", ME);
    expect(await source.read("1")).toMatchObject({ isOpen: true, holder: ME });
    await source.mark("1", "claimed", ME, true);
    expect(tracker.comments("1").length).toBeLessThanOrEqual(1);
    await source.mark("1", "open", ME);
    expect(await source.read("1")).toMatchObject({ isOpen: true, holder: null });
  });

  it("comments and closes", async () => {
    tracker.add("1", "Fix the login");
    await source.mark("1", "claimed", ME);
    await source.comment("1", "--half done", ME);
    expect(tracker.comments("1").join()).toContain("--half done");
    await source.close("1", "Done by web.", ME);
    expect(tracker.issue("1").isOpen).toBe(false);
    expect(await source.list()).toEqual([]);
  });

  it("reads nothing about an unknown item", async () => {
    expect(await source.read("99")).toBeNull();
  });

  it("removes control bytes and bounds what a tracker prints", async () => {
    tracker.add("1", `\u001b]0;x\u0007Fix\u202e the\nlogin ${"x".repeat(2000)}`);
    const [item] = await source.list();
    expect(item?.title).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(item?.title.length).toBeLessThanOrEqual(500);
  });

  it.each([
    ["limit", "limited", /rate limit/],
    ["broken", "broken", /something else than JSON/],
    ["lost", "unreachable", /connection reset/],
  ] as const)("names the fault %s as %s", async (fault, kindOfError, text) => {
    tracker.add("1", "Fix the login");
    tracker.setFaults({ every: 1, kinds: [fault], delayMs: 0 });
    await expect(source.list()).rejects.toMatchObject({ kind: kindOfError, message: expect.stringMatching(text) });
  });
});

describe("beads", () => {
  it("are claimed by a release without --claim too", async () => {
    const tracker = new Tracker("beads");
    process.env.STAND_IN_OLD = "1";
    try {
      tracker.add("1", "Wanted");
      await makeSource(tracker.settings).mark("1", "claimed", ME);
      expect(tracker.issue("1").holder).toBe(ME);
    } finally {
      delete process.env.STAND_IN_OLD;
      tracker.remove();
    }
  });
});

describe("GitHub issues", () => {
  it("are tasks only if an account with write access set the label", async () => {
    const tracker = new Tracker("github");
    try {
      tracker.add("1", "Wanted");
      tracker.add("2", "Labelled by its author", { labels: [{ name: "rouse", by: "stranger" }] });
      tracker.add("3", "Another label", { labels: [{ name: "bug", by: "owner" }] });
      expect((await makeSource(tracker.settings).list()).map(({ key }) => key)).toEqual(["1"]);
    } finally {
      tracker.remove();
    }
  });

  it("of two claims by one account the first one counts", async () => {
    const tracker = new Tracker("github");
    try {
      tracker.add("1", "Wanted");
      const [one, two] = [makeSource(tracker.settings), makeSource(tracker.settings)];
      await one.mark("1", "claimed", "a@x");
      await two.mark("1", "claimed", "b@y");
      expect((await two.read("1"))?.holder).toBe("a@x");
      await two.withdraw?.("1", "b@y");
      expect((await one.read("1"))?.holder).toBe("a@x");
      expect(tracker.fields("1").assignees).toEqual(["bot"]);
    } finally {
      tracker.remove();
    }
  });
});
