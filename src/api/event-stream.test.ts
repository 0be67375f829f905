import { describe, expect, it } from "vitest";
import { eventStream, filterOf } from "./event-stream.js";
import { Events } from "./events.js";

const ALL = filterOf({});
const reader = (answer: Response): ReadableStreamDefaultReader<Uint8Array> =>
  (answer.body as ReadableStream<Uint8Array>).getReader();
const textOf = ({ value }: { value?: Uint8Array | undefined }): string => new TextDecoder().decode(value);

/** The stream ignores the content of an event. */
const data = (fields: object): never => fields as never;

describe("an event stream", () => {
  it("sends a greeting at once, then each event in one frame", async () => {
    const events = new Events();
    const reading = reader(eventStream(events, ALL, null));
    expect(textOf(await reading.read())).toMatch(/^event: hello\ndata: \{.*\}\n\n$/);
    events.publish("assessment", 0, "ann", data({ state: "stuck", text: "two\nlines" }));
    expect(textOf(await reading.read())).toMatch(/^event: assessment\nid: \w+-1\ndata: \{.*"state":"stuck".*\}\n\n$/);
    await reading.cancel();
    expect(events.listeners).toBe(0);
  });

  it("sends missed events after the greeting, and reports if some are lost", async () => {
    const events = new Events();
    const first = reader(eventStream(events, ALL, null));
    await first.read();
    events.publish("assessment", 0, "ann", data({ n: 1 }));
    const [, id = ""] = /id: (\S+)/.exec(textOf(await first.read())) ?? [];
    events.publish("assessment", 0, "ann", data({ n: 2 }));
    const again = reader(eventStream(events, ALL, id));
    expect(textOf(await again.read())).toMatch(/^event: hello/);
    expect(textOf(await again.read())).toContain('"n":2');
    expect(textOf(await reader(eventStream(events, ALL, "x-1")).read())).toMatch(/^event: missed/);
    events.close();
  });

  it("sends only the requested kinds", async () => {
    const events = new Events();
    const reading = reader(eventStream(events, filterOf({ kinds: "incident", agent: "bob" }), null));
    await reading.read();
    events.publish("assessment", 0, "bob", data({}));
    events.publish("incident", 0, "ann", data({}));
    events.publish("incident", 0, "bob", data({ n: 3 }));
    expect(textOf(await reading.read())).toContain('"n":3');
    expect(() => filterOf({ kinds: "incident,nothing" })).toThrow("kinds: expected");
    events.close();
  });

  it("ends before the next event when the client loses its right", async () => {
    const events = new Events();
    let mayListen = true;
    const reading = reader(eventStream(events, ALL, null, () => mayListen));
    await reading.read();
    mayListen = false;
    events.publish("assessment", 0, "ann", data({}));
    await expect(reading.read()).rejects.toThrow("revoked");
    expect([events.listeners, events.dropped]).toEqual([0, 0]);
  });

  it("ends for a client that does not read, after a bounded amount of data", async () => {
    const events = new Events();
    const slow = eventStream(events, ALL, null);
    const quick = reader(eventStream(events, ALL, null));
    await quick.read();
    let reported = 0;
    while (events.dropped === 0 && reported < 100_000) {
      events.publish("assessment", 0, "ann", data({ n: reported++, text: "x".repeat(1000) }));
      await quick.read();
    }
    expect(reported).toBeGreaterThan(500);
    expect(reported).toBeLessThan(2000);
    expect(events.listeners).toBe(1);
    const reading = reader(slow);
    await expect(
      (async () => {
        for (;;) await reading.read();
      })(),
    ).rejects.toThrow("did not keep up");
    events.close();
  });
});
