import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, WORKING } from "../../test/support/loops.js";
import { NotifyingLoop } from "../../test/support/notifier.js";
import { screen } from "../../test/support/steps.js";
import { quitSignal } from "../terminal/leave.js";
import { recentEnds, unacknowledgedEnds } from "./unacknowledged-ends.js";

let test: NotifyingLoop;
beforeEach(async () => {
  test = new NotifyingLoop();
  await ends("crashed", { code: null, signal: 9 });
  await ends("done", { code: 0, signal: null });
  test.loop.register(agent({ id: "s-alive", name: "alive" }));
});
afterEach(() => test.close());

async function ends(name: string, status: { code: number | null; signal: number | null }): Promise<void> {
  const session = `s-${name}`;
  test.loop.register(agent({ id: session, name }));
  await test.send(session, WORKING);
  await test.send(session, [{ kind: "exit", source: "process", ...status }]);
  test.loop.register(agent({ id: session, name, endedAt: test.loop.now() }));
  test.run(5);
}

const lost = (): string[] => unacknowledgedEnds(test.loop).map(({ session }) => session.name);

describe("an agent that ended", () => {
  it("with a problem is listed, one that ended well is not, and a restart keeps both", () => {
    expect(lost()).toEqual(["crashed"]);
    test.restart();
    expect(lost()).toEqual(["crashed"]);
  });

  it("is listed until a user acknowledges it", () => {
    const [incident] = test.loop.incidents.incidents;
    test.loop.apply({ kind: "acked", at: test.loop.now(), incident: incident?.id ?? "" });
    expect(lost()).toEqual([]);
  });

  it("is no longer listed once another session with its name is running", async () => {
    test.loop.register(agent({ id: "s-again", name: "crashed", startedAt: test.loop.now() }));
    await test.send("s-again", WORKING);
    expect(lost()).toEqual([]);
  });
});

describe("an agent that ended, in the list of recent ones,", () => {
  const shown = (): string[] => recentEnds(test.loop).map(({ session }) => session.name);

  it("is shown for ten minutes, and with a problem until a user acknowledges it", () => {
    expect(shown()).toEqual(["crashed", "done"]);
    test.run(700);
    expect(shown()).toEqual(["crashed"]);
    const [incident] = test.loop.incidents.incidents;
    test.loop.apply({ kind: "acked", at: test.loop.now(), incident: incident?.id ?? "" });
    expect(shown()).toEqual([]);
  });

  it("because its user closed it, is shown too", async () => {
    test.loop.register(agent({ id: "s-closed", name: "closed" }));
    await test.send("s-closed", [screen({}), quitSignal("human", test.loop.now())]);
    await test.send("s-closed", [{ kind: "exit", source: "process", code: 0, signal: null }]);
    test.loop.register(agent({ id: "s-closed", name: "closed", endedAt: test.loop.now() }));
    expect(shown()).toContain("closed");
  });

  it("at its prompt, and that rouse only watched, is shown for ten minutes", async () => {
    const session = { id: "s-over", name: "over", origin: "tmux" } as const;
    test.loop.register(agent(session));
    await test.send("s-over", [screen({})]);
    await test.send("s-over", [{ kind: "exit", source: "process", code: null, signal: null, adopted: true }]);
    test.loop.register(agent({ ...session, endedAt: test.loop.now() }));
    expect(shown()).toEqual(["crashed", "done", "over"]);
    expect(lost()).toEqual(["crashed"]);
    test.run(605);
    expect(shown()).toEqual(["crashed"]);
  });
});
