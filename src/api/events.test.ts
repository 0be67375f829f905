import { describe, expect, it } from "vitest";
import { type ApiEvent, Events, type Listener } from "./events.js";

function simulationListener(max = Number.POSITIVE_INFINITY): Listener & { got: ApiEvent[]; isDropped: boolean } {
  const one = {
    got: [] as ApiEvent[],
    isDropped: false,
    take: (event: ApiEvent): boolean => one.got.push(event) <= max,
    dropped: (): void => {
      one.isDropped = true;
    },
  };
  return one;
}

const texts = (events: readonly ApiEvent[]): unknown[] =>
  events.map((event) => (event.data as unknown as { n: number }).n);

/** The stream ignores the content of an event. */
const data = (fields: object): never => fields as never;

describe("the stream of events", () => {
  it("sends a listener the events from then on", () => {
    const events = new Events();
    events.publish("assessment", 0, "ann", data({ n: 1 }));
    const one = simulationListener();
    events.listen(one, null);
    events.publish("incident", 1000, "ann", data({ n: 2 }));
    expect(one.got).toMatchObject([{ kind: "incident", agent: "ann", at: "1970-01-01T00:00:01.000Z", data: { n: 2 } }]);
  });

  it("resumes after the last event that the listener has seen", () => {
    const events = new Events();
    const first = simulationListener();
    const { stop } = events.listen(first, null) as { stop: () => void };
    for (const n of [1, 2, 3]) events.publish("assessment", 0, "ann", data({ n }));
    stop();
    for (const n of [4, 5]) events.publish("assessment", 0, "ann", data({ n }));
    const again = simulationListener();
    expect(events.listen(again, first.got[1]?.id as string)?.isWhole).toBe(true);
    expect(texts(again.got)).toEqual([3, 4, 5]);
    const latest = simulationListener();
    expect(events.listen(latest, again.got[2]?.id as string)?.isWhole).toBe(true);
    expect(latest.got).toEqual([]);
  });

  it("reports if events are no longer kept, or if the id is invalid or of another run", () => {
    const events = new Events();
    const first = simulationListener();
    events.listen(first, null);
    for (let n = 0; n < 2500; n++) events.publish("assessment", 0, "ann", data({ n }));
    const late = simulationListener();
    expect(events.listen(late, first.got[0]?.id as string)?.isWhole).toBe(false);
    expect(late.got.length).toBe(2000);
    const other = new Events();
    for (const id of [first.got[0]?.id as string, "", "x", "-", "1-2-3", `${first.got[0]?.id}9`])
      expect(other.listen(simulationListener(), id)?.isWhole).toBe(false);
  });

  it("drops a listener that takes no more, and keeps the others", () => {
    const events = new Events();
    const slow = simulationListener(3);
    const quick = simulationListener();
    events.listen(slow, null);
    events.listen(quick, null);
    for (let n = 0; n < 10; n++) events.publish("assessment", 0, "ann", data({ n }));
    expect(slow.isDropped).toBe(true);
    expect(slow.got.length).toBe(4);
    expect(quick.got.length).toBe(10);
    expect({ left: events.listeners, dropped: events.dropped }).toEqual({ left: 1, dropped: 1 });
  });

  it("limits the number of listeners", () => {
    const events = new Events();
    const taken = Array.from({ length: 100 }, () => events.listen(simulationListener(), null)).filter(
      (one) => one !== null,
    );
    expect(taken.length).toBe(64);
    taken[0]?.stop();
    expect(events.listen(simulationListener(), null)).not.toBeNull();
  });

  it("limits the listeners of one token, and leaves room for others", () => {
    const events = new Events();
    const listen = (owner: string) => events.listen(simulationListener(), null, owner);
    const taken = Array.from({ length: 100 }, () => listen("greedy")).filter((one) => one !== null);
    expect(taken.length).toBe(16);
    expect(listen("other")).not.toBeNull();
    taken[0]?.stop();
    expect(listen("greedy")).not.toBeNull();
  });

  it("contains no control bytes and no secrets", () => {
    const events = new Events();
    const one = simulationListener();
    events.listen(one, null);
    events.publish("message", 0, "a\u001b[31m", data({ text: `\u0007TOKEN=ghp_${"a1B2".repeat(9)}` }));
    expect(JSON.stringify(one.got)).not.toMatch(/u001b|u0007|ghp_a/);
  });
});
