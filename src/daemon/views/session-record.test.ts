import { expect, it } from "vitest";
import { agent } from "../../../test/support/loops.js";
import { recordOf, sessionOf } from "./session-record.js";

it.each([
  ["running", agent({ pid: 42, pidStart: "77", hostSocket: "/run/h.sock" })],
  ["ended", agent({ endedAt: Date.UTC(2026, 10, 15), pane: { socket: "/tmp/t", id: "%3" } })],
])("the record of a session that is %s has names and times of the API, and all of its fields", (_, session) => {
  const record = recordOf(session);
  expect(Object.keys(record).filter((key) => /[A-Z]/.test(key))).toEqual([]);
  expect(record.started_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(sessionOf(record)).toEqual(session);
});
