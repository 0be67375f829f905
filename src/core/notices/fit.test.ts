import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitMessage, MESSAGE_CHARS_MAX, sizeOf } from "./fit.js";
import type { Payload, Suggestion } from "./message.js";

const suggestion = (tool: string, ...command: string[]): Suggestion => ({
  what: `${tool} of the worker`,
  tool,
  arguments: { pane_id: "mfz3k2ab-0123456789ab" },
  command: ["rouse", ...command, "feat-103-worker"],
});

const stuck = (fields: Partial<Payload<"worker.stuck">> = {}): Payload<"worker.stuck"> => ({
  worker_id: "mfz3k2ab-0123456789ab",
  worker_name: "feat-103-worker",
  worker_kind: "claude-code",
  task: null,
  move: "none",
  incident_id: "1aewuwcf",
  cause: "silent_stream",
  confidence: 0.8,
  reasons: ["A turn is running (title), but there has been no activity for 2 min: reply text unchanged"],
  suggested_actions: [
    suggestion("read_pane", "logs"),
    suggestion("why", "why"),
    suggestion("recover_agent", "recover"),
  ],
  last_activity: "2026-03-02T09:00:00.000Z",
  duration_secs: 120,
  intervals_stuck: 4,
  last_output_preview: "Processing file 42 of 100...\n".repeat(40),
  until: null,
  ...fields,
});

describe("a message", () => {
  it("keeps its first reason and the most useful suggestions, and its preview", () => {
    const long = stuck();
    expect(sizeOf(long)).toBeGreaterThan(MESSAGE_CHARS_MAX);
    const { suggested_actions, reasons, last_output_preview } = fitMessage(long);
    expect(reasons).toEqual(long.reasons);
    expect(suggested_actions.map(({ tool }) => tool)).toEqual(["recover_agent"]);
    expect(last_output_preview).toBe(long.last_output_preview);
  });

  it("that is short enough is not changed", () => {
    const short = stuck({ suggested_actions: [] });
    expect(fitMessage(short)).toEqual(short);
  });

  it("has at most 600 characters besides its preview, whatever it contains", () => {
    const text = fc.string({ maxLength: 600 });
    const fields = fc.record({
      worker_name: fc.string({ maxLength: 40 }),
      task: fc.option(fc.string({ maxLength: 200 })),
      reasons: fc.array(text, { maxLength: 6 }),
      error_context: text,
      reason: text,
      done: fc.array(text, { maxLength: 10 }),
      suggested_actions: fc.array(fc.constant(suggestion("read_pane", "logs")), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fields, (own) => {
        expect(sizeOf(fitMessage(stuck(own)))).toBeLessThanOrEqual(MESSAGE_CHARS_MAX);
      }),
    );
  });
});
