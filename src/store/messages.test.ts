import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIncidentState, type Silence } from "../core/incidents/incident.js";
import { type Journal, openJournal } from "./journal.js";
import { type NewMessage, shownKey } from "./messages.js";

let folder: string;
let journal: Journal;
const open = (): void => {
  journal = openJournal(join(folder, "journal.db")).journal;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-messages-"));
  open();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const message = (key: string, receiver = "boss"): NewMessage => ({
  receiver,
  key,
  type: "worker.stuck",
  sender: "rouse",
  at: 1000,
  payload: { worker_name: key },
});
/** As rouse itself stores one. */
const put = (...messages: readonly NewMessage[]): void =>
  journal.messages.inOne(() => journal.messages.put(messages, []));
const keys = (receiver: string | null = "boss", after = 0, all = false): string[] =>
  journal.messages.read(receiver, after, all).map(({ key }) => key);

describe("an inbox", () => {
  it("is read in order behind a cursor, until it is acknowledged, across a restart", () => {
    put(message("a"), message("b"), message("c"), message("x", "other"));
    expect(keys()).toEqual(["a", "b", "c"]);
    expect(keys("boss", 1)).toEqual(["b", "c"]);
    expect(journal.messages.ack("boss", 2, 5, "agent boss")).toBe(2);
    expect(journal.messages.ack("boss", 2, 6, "agent eve")).toBe(0);
    journal.close();
    open();
    expect(keys()).toEqual(["c"]);
    expect(keys("boss", 0, true)).toEqual(["a", "b", "c"]);
    expect(journal.messages.read("boss", 0, true).map(({ ackedBy }) => ackedBy)).toEqual([
      "agent boss",
      "agent boss",
      null,
    ]);
    expect(keys("other")).toEqual(["x"]);
    expect(journal.messages.waiting()).toEqual([
      { receiver: "boss", count: 1, oldest: 1000 },
      { receiver: "other", count: 1, oldest: 1000 },
    ]);
  });

  it("stores a key once, with its first payload", () => {
    put(message("a"), { ...message("a"), payload: "other words" });
    expect(journal.messages.read("boss", 0, false).map(({ payload }) => payload)).toEqual([{ worker_name: "a" }]);
  });

  it("keeps the keys of each client apart from those of rouse and of other clients", () => {
    const note = (sender: string, payload: string): NewMessage => ({ ...message("a"), type: "note", sender, payload });
    const first = journal.messages.send(note("ann", "first"));
    expect(journal.messages.send(note("ann", "again"))).toBe(first);
    journal.messages.send(note("ben", "other client"));
    put(message("a"));
    expect(journal.messages.read("boss", 0, false).map(({ key, payload }) => [shownKey(key), payload])).toEqual([
      ["a", "first"],
      ["a", "other client"],
      ["a", { worker_name: "a" }],
    ]);
    expect(() => journal.messages.send(message("b"))).toThrow("rouse's name");
  });

  it("removes acknowledged messages first if it is full", () => {
    journal.messages.inOne(() => {
      journal.messages.put(
        Array.from({ length: 10_000 }, (_, n) => message(`k${n}`)),
        [],
      );
    });
    journal.messages.ack("boss", 1, 1, "user");
    put(message("one more"));
    expect(journal.messages.dropped).toBe(0);
    expect(keys("boss", 0, true)[0]).toBe("k1");
    put(message("and another"));
    expect(journal.messages.dropped).toBe(1);
    expect(keys()[0]).toBe("k2");
  });
});

describe("a full inbox", () => {
  it("drops an acknowledged message before older ones that were not acknowledged", () => {
    const waiting = Array.from({ length: 9_999 }, (_, n) => message(`k${n}`));
    journal.messages.inOne(() => journal.messages.put([...waiting, message("read", "other")], []));
    expect(journal.messages.ack("other", 10_000, 1, "user")).toBe(1);
    put(message("one more"));
    expect(journal.messages.dropped).toBe(0);
    expect(keys("other", 0, true)).toEqual([]);
    expect(keys()[0]).toBe("k0");
  });
});

describe("a message written together with the incident state", () => {
  const silence: Silence = { agent: "a", problem: null, at: 1, until: 2 };

  it("is stored with it", () => {
    const sent = [{ subject: "i.0", edge: "worker.stuck", at: 1 }];
    journal.incidentState.save({ ...createIncidentState(), silences: [silence] }, () =>
      journal.messages.put([message("a")], sent),
    );
    journal.close();
    open();
    expect(journal.incidentState.load().silences).toEqual([silence]);
    expect(keys()).toEqual(["a"]);
    expect(journal.messages.sentEdges()).toEqual(new Map([["i.0", new Set(["worker.stuck"])]]));
  });

  it("is not stored if the incident state is not, and the other way round", () => {
    const failing = (): void => {
      journal.messages.put([message("a")], []);
      throw new Error("disk full");
    };
    expect(() => journal.incidentState.save({ ...createIncidentState(), silences: [silence] }, failing)).toThrow(
      "disk full",
    );
    expect(keys()).toEqual([]);
    expect(journal.incidentState.load().silences).toEqual([]);
  });
});
