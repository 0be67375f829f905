import { describe, expect, it } from "vitest";
import { DEAD_LETTER, type DeliverOptions, deadLetterInbox, deliverMessages, type Inbox } from "./deliver.js";
import { ApiError } from "./error.js";
import type { MessageView } from "./operations/records.js";
import type { OutgoingMessage } from "./service/messages.js";

const message = (cursor: number): MessageView => ({
  cursor,
  key: `k${cursor}`,
  source: "client",
  msg_type: "note",
  target: { tag: "ops" },
  from: "ann",
  at: "2026-11-16T12:00:00.000Z",
  acked_at: null,
  acked_by: null,
  payload: { n: cursor },
});

/** An inbox in memory, and pauses that take no time. */
class TestInbox implements Inbox {
  readonly ending = new AbortController();
  readonly pauses: number[] = [];
  readonly sent: OutgoingMessage[] = [];
  readonly errors: string[] = [];
  waiting: MessageView[];
  /** Errors of the next calls. */
  failures: Error[] = [];

  constructor(count: number) {
    this.waiting = Array.from({ length: count }, (_, at) => message(at + 1));
  }

  async messages(): Promise<{ messages: MessageView[] }> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    return { messages: [...this.waiting] };
  }

  async ack(upTo: number): Promise<void> {
    this.waiting = this.waiting.filter(({ cursor }) => cursor > upTo);
  }

  async send(letter: OutgoingMessage): Promise<void> {
    if (JSON.stringify(letter.payload).length > 500) throw new ApiError("bad", "payload: too large");
    this.sent.push(letter);
  }

  /** Ends when everything is handled. */
  run(handler: (message: MessageView) => unknown, options: DeliverOptions = {}): Promise<void> {
    const onError: DeliverOptions["onError"] = (error, about, attempt) =>
      this.errors.push(`${about?.cursor ?? "inbox"} ${attempt}: ${(error as Error).message}`);
    return deliverMessages(this, handler, { onError, ...options }, this.ending.signal, async (ms) => {
      this.pauses.push(ms);
      if (this.waiting.length === 0) this.ending.abort();
    });
  }
}

describe("deliver", () => {
  it("passes each message once and in order to the handler, and acknowledges it", async () => {
    const inbox = new TestInbox(3);
    const got: number[] = [];
    await inbox.run(({ cursor }) => got.push(cursor));
    expect({ got, waiting: inbox.waiting, errors: inbox.errors }).toEqual({ got: [1, 2, 3], waiting: [], errors: [] });
  });

  it("reports each error of the handler and waits twice as long each time, a minute at most", async () => {
    const inbox = new TestInbox(1);
    let calls = 0;
    await inbox.run(
      () => {
        if (++calls < 10) throw new Error("channel is away");
      },
      { attempts: 20 },
    );
    expect(inbox.errors).toHaveLength(9);
    expect(inbox.errors[0]).toBe("1 1: channel is away");
    expect(inbox.pauses.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((secs) => secs * 1000));
  });

  it("moves a message that always fails to the dead letters, and delivers the messages behind it", async () => {
    const inbox = new TestInbox(3);
    const got: number[] = [];
    const dead: [number, string][] = [];
    await inbox.run(
      ({ cursor }) => {
        if (cursor === 2) throw new Error("cannot parse");
        got.push(cursor);
      },
      { attempts: 3, onDeadLetter: ({ cursor }, error) => dead.push([cursor, (error as Error).message]) },
    );
    expect(got).toEqual([1, 3]);
    expect(dead).toEqual([[2, "cannot parse"]]);
    expect(inbox.errors).toHaveLength(3);
    expect(inbox.waiting).toEqual([]);
    expect(inbox.sent).toEqual([
      {
        tag: deadLetterInbox("ops"),
        type: DEAD_LETTER,
        key: "dead:2",
        payload: {
          cursor: 2,
          key: "k2",
          msg_type: "note",
          from: "ann",
          at: "2026-11-16T12:00:00.000Z",
          tag: "ops",
          error: "cannot parse",
          attempts: 3,
          payload: { n: 2 },
        },
      },
    ]);
  });

  it("keeps a dead letter without its payload if both together are too large", async () => {
    const inbox = new TestInbox(1);
    inbox.waiting = [{ ...message(1), payload: { text: "x".repeat(600) } } as MessageView];
    const fail = (): never => {
      throw new Error("no");
    };
    await inbox.run(fail, { attempts: 1 });
    expect(inbox.sent).toMatchObject([{ key: "dead:1", payload: { error: "no", payload: null } }]);
  });

  it("reports that the daemon is down, backs off, and loses no message", async () => {
    const inbox = new TestInbox(2);
    inbox.failures = [new Error("no daemon is running"), new Error("no daemon is running")];
    const got: number[] = [];
    await inbox.run(({ cursor }) => got.push(cursor));
    expect(inbox.errors).toEqual(["inbox 1: no daemon is running", "inbox 2: no daemon is running"]);
    expect(inbox.pauses.slice(0, 2)).toEqual([1000, 2000]);
    expect({ got, sent: inbox.sent }).toEqual({ got: [1, 2], sent: [] });
  });

  it("does not acknowledge a message while its handler fails and delivery is closed", async () => {
    const inbox = new TestInbox(1);
    await inbox.run(() => {
      inbox.ending.abort();
      throw new Error("closed");
    });
    expect(inbox.waiting).toHaveLength(1);
  });
});
