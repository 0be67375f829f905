import { describe, expect, it } from "vitest";
import type { ActionRecord } from "../action.js";
import type { Outage } from "../incidents/incident.js";
import { checkOutageSlot, type OutageQueue, outageSlot } from "./outage-queue.js";

const MINUTE = 60_000;
const OPENED = Date.parse("2026-03-02T09:00:00Z");
const outage: Outage = {
  id: "o",
  group: "service",
  shared: "claude-code",
  openedAt: OPENED,
  members: [],
  provenAt: null,
  endedAt: null,
};
const nudge = { destructive: false, starts: false };

describe("the order in an outage", () => {
  const turn = (touchedAt: number): OutageQueue => ({
    outage,
    agents: ["a", "b", "c"],
    acted: { agent: "b", at: touchedAt },
  });

  it("lets the next agent wait for two minutes after another one was nudged", () => {
    const at = OPENED + MINUTE;
    expect(checkOutageSlot(turn(at), "a", nudge, at)).toMatchObject({ until: at + 2 * MINUTE });
    expect(checkOutageSlot(turn(at), "a", nudge, at + 2 * MINUTE - 1)).not.toBeNull();
    expect(checkOutageSlot(turn(at), "a", nudge, at + 2 * MINUTE)).toBeNull();
  });

  it("does not wait for an action that lies in the future because the clock was set back", () => {
    const now = OPENED + MINUTE;
    expect(checkOutageSlot(turn(now + 60 * MINUTE), "a", nudge, now)).toBeNull();
  });
});

it("an action from before the outage does not count as the first attempt in it", () => {
  const record = { do: "nudge", incident: "i", agent: "b", outcome: { result: "done", at: OPENED } } as ActionRecord;
  const acted = (at: number) =>
    outageSlot({ incidents: [], outages: [{ ...outage, members: ["i"] }], actions: [{ ...record, at }] }, "o")?.acted;
  expect(acted(OPENED - 1)).toBeNull();
  expect(acted(OPENED)).toMatchObject({ agent: "b" });
});

it("an action without an outcome counts from its start, and the first agent by name waits for its turn too", () => {
  const record = { do: "nudge", incident: "i", agent: "b", at: OPENED, outcome: null } as ActionRecord;
  const slot = outageSlot({ incidents: [], outages: [{ ...outage, members: ["i"] }], actions: [record] }, "o");
  expect(slot?.acted).toEqual({ agent: "b", at: OPENED });
  const queue: OutageQueue = { outage, agents: ["a", "b", "c"], acted: null };
  expect(checkOutageSlot(queue, "a", nudge, OPENED + 5 * MINUTE)).toMatchObject({ reason: "b goes first" });
});
