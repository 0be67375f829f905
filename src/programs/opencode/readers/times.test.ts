import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsToTimed } from "./times.js";

const T = 1_900_000_000_000;
const row = (table: string, id: string, data: object, created: number, extra = {}) => ({
  table,
  id,
  session_id: "ses_1",
  time_created: T + created,
  time_updated: T + created + 9000,
  data,
  ...extra,
});
const ROWS = [
  row("message", "m1", { role: "user", time: { created: T } }, 0),
  row("message", "m2", { role: "assistant", time: { created: T + 10, completed: T + 5000 }, finish: "tool-calls" }, 10),
  row("message", "m3", { role: "assistant", time: { created: T + 5010, completed: T + 7000 }, finish: "stop" }, 5010),
  row("part", "p1", { type: "text", text: "Go." }, 1, { message_id: "m1" }),
  row(
    "part",
    "p2",
    {
      type: "tool",
      tool: "bash",
      state: { status: "completed", input: { command: "make" }, output: "", time: { start: T + 100, end: T + 4900 } },
    },
    90,
    { message_id: "m2" },
  ),
  row("part", "p3", { type: "text", text: "It is green now.", time: { start: T + 6000, end: T + 6900 } }, 6000, {
    message_id: "m3",
  }),
];

/** Seconds since T and kinds, one line per moment. */
const story = (rows: unknown[]) =>
  rowsToTimed(rows).map(
    ({ at, signals }) => `${at - T} ${signals.map((s) => (s.kind === "turn" ? s.phase : s.kind)).join(" ")}`,
  );

describe("rowsToTimed", () => {
  it("places each state at the time at which it started", () => {
    expect(story(ROWS)).toEqual([
      "1 start message",
      "10 request",
      "100 tool_start",
      "4900 tool_end",
      "5010 request",
      "6900 delta message",
      "7000 end",
    ]);
  });

  it("does not depend on the order of the rows", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ROWS, { minLength: ROWS.length }), (rows) => {
        expect(story(rows)).toEqual(story(ROWS));
      }),
    );
  });

  it("keeps a tool that never ended open, and a message that never completed", () => {
    const open = [
      row("message", "m2", { role: "assistant", time: { created: T + 10 } }, 10),
      row(
        "part",
        "p2",
        { type: "tool", tool: "bash", state: { status: "running", input: {}, time: { start: T + 100 } } },
        90,
      ),
    ];
    expect(story(open)).toEqual(["10 start request", "100 tool_start"]);
  });

  it("reads the time of an event from its id, and ignores the final rows of that session", () => {
    const stamp = (T + 1234) % 2 ** 36;
    const id = `evt_${(BigInt(stamp) * 4096n + 1n).toString(16).padStart(12, "0").slice(-12)}abcDEF`;
    const info = { id: "m2", role: "assistant", time: { created: T + 10, completed: T + 1230 }, finish: "stop" };
    const event = {
      table: "event",
      id,
      aggregate_id: "ses_1",
      type: "message.updated.1",
      data: { sessionID: "ses_1", info },
    };
    const asked = { ...event, id: "evt_x", data: { sessionID: "ses_1", info: { ...info, time: { created: T + 10 } } } };
    expect(story([event, asked, ...ROWS])).toEqual(["10 start request", "1234 end"]);
  });

  it("accepts any rows without throwing", () => {
    const rows = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ table: fc.constantFrom("part", "message", "event"), data: fc.jsonValue(), id: fc.jsonValue() }),
      ),
    );
    fc.assert(
      fc.property(rows, (given) => {
        for (const { at } of rowsToTimed(given)) expect(Number.isFinite(at)).toBe(true);
      }),
    );
  });
});
