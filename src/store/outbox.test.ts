import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ALERT_EDGES, NOTICE_KINDS, type Notice } from "../core/notices/alert.js";
import { type Journal, openJournal } from "./journal.js";
import { loadSqlite } from "./sqlite.js";

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-outbox-"));
  journal = openJournal(join(folder, "journal.db")).journal;
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function putFailing(key: string, channel: string, changedAt: number): void {
  const head = { key, subject: key, edge: "opened", kind: "watchdog", severity: "warning", at: 1 } as const;
  const notice: Notice = { ...head, title: key, lines: [], agents: [], incidents: [] };
  journal.outbox.put([{ planned: { ...head, members: [], deliveries: [{ channel, dueAt: 1 }] }, notice }]);
  journal.outbox.settle({ key, channel }, { state: "pending", attempts: 1, dueAt: 9, changedAt, error: "down" });
}

it("the outbox gives no state of an alert about a client: it has no problem that could end", () => {
  putFailing("of an incident", "phone", 1);
  const head = {
    key: "k",
    subject: "security:k",
    edge: "security",
    kind: "security",
    severity: "critical",
    at: 1,
  } as const;
  const notice: Notice = { ...head, title: "tried", lines: [], agents: [], incidents: [] };
  journal.outbox.put([{ planned: { ...head, members: [], deliveries: [{ channel: "phone", dueAt: 1 }] }, notice }]);
  expect(journal.outbox.states().map(({ subject }) => subject)).toEqual(["of an incident"]);
});

it.each(NOTICE_KINDS.flatMap((kind) => ALERT_EDGES.map((edge) => [kind, edge] as const)))(
  "the outbox sends what it stored: an alert of kind %s at the edge %s",
  (kind, edge) => {
    const head = { key: "k", subject: "s", edge, kind, severity: "warning", at: 1 } as const;
    const notice: Notice = { ...head, title: "x", lines: [], agents: [], incidents: [] };
    journal.outbox.put([{ planned: { ...head, members: [], deliveries: [{ channel: "ops", dueAt: 1 }] }, notice }]);
    expect(journal.outbox.next("ops", 2)?.notice).toEqual(notice);
  },
);

it("the outbox lists the latest failing alert of each channel before older ones", () => {
  putFailing("old", "phone", 1);
  putFailing("first", "ops", 5);
  putFailing("second", "ops", 6);
  putFailing("third", "ops", 7);
  expect(journal.outbox.unsettled(3).map(({ key }) => key)).toEqual(["third", "old", "second"]);
});

it("the outbox sends the next alerts although an earlier one cannot be read", () => {
  for (const [key, at] of [
    ["bad", 1],
    ["good", 2],
  ] as const)
    putFailing(key, "ops", at);
  journal.close();
  const database = loadSqlite().open(join(folder, "journal.db"));
  database.exec("update alerts set record = '{}' where key = 'bad'");
  database.close();
  journal = openJournal(join(folder, "journal.db")).journal;
  expect(journal.outbox.next("ops", 10)?.key).toBe("good");
});
