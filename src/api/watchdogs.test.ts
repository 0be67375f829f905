import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agent } from "../../test/support/loops.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { ControlResult } from "./control-result.js";
import { Watchdogs } from "./watchdogs.js";

let folder: string;
let said: { client: string; text: string }[];
let answer: ControlResult | Error;
let endedAt: number | null;
let objection: string | null;
let isRevoked: boolean;
/** The newest unacknowledged message of the inbox `orchestrator`. */
let newest: number | null;
let woken: Set<string>;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), "rouse-watchdogs-"));
  said = [];
  answer = { result: "done", reason: "typed and sent", proven: true };
  endedAt = null;
  objection = null;
  isRevoked = false;
  newest = null;
  woken = new Set();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const make = (): Watchdogs =>
  new Watchdogs(
    join(folder, "watchdogs.json"),
    { find: (id) => (id === "s1" ? ({ session: { ...agent(), endedAt } } as SessionJudge) : null) },
    {
      sendInput: async ({ client }, text) => {
        said.push({ client, text });
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    { holds: () => !isRevoked, objection: () => objection },
    (inbox) => (inbox === "orchestrator" ? newest : null),
    woken,
  );
const record = {
  session: "s1",
  agent: "api",
  client: "orch",
  author: "token orch",
  token: "digest",
  by: null,
  interval_secs: 30,
  message: "check",
  inbox: null,
};

describe("a watchdog timer", () => {
  it("makes its agent a receiver of messages for as long as it runs, also after a restart", () => {
    make().start(record);
    woken = new Set();
    const watchdogs = make();
    expect([...woken]).toEqual(["s1"]);
    watchdogs.stop("s1");
    expect([...woken]).toEqual([]);
    watchdogs.close();
  });

  it("types its message at its interval, in the name of the client that started it", async () => {
    const watchdogs = make();
    watchdogs.start(record);
    await vi.advanceTimersByTimeAsync(95_000);
    expect(said).toEqual(Array(3).fill({ client: "orch (watchdog)", text: "check" }));
    expect(watchdogs.list()).toMatchObject([{ pane_id: "s1", sent: 3, left_out: 0 }]);
    expect(watchdogs.stop("s1")).toBe(true);
    await vi.advanceTimersByTimeAsync(95_000);
    expect(said.length).toBe(3);
    expect(watchdogs.stop("s1")).toBe(false);
  });

  it("with an inbox types nothing while the inbox is empty, and once for new messages", async () => {
    const watchdogs = make();
    watchdogs.start({ ...record, inbox: "orchestrator" });
    await vi.advanceTimersByTimeAsync(95_000);
    expect(watchdogs.list()).toMatchObject([{ inbox: "orchestrator", sent: 0, left_out: 0 }]);
    newest = 7;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(said).toHaveLength(1);
    newest = null;
    await vi.advanceTimersByTimeAsync(60_000);
    newest = 9;
    answer = { result: "refused", reason: "a turn is running", proven: null };
    await vi.advanceTimersByTimeAsync(30_000);
    answer = { result: "done", reason: "", proven: true };
    await vi.advanceTimersByTimeAsync(300_000);
    expect(said).toHaveLength(3);
    expect(watchdogs.list()).toMatchObject([{ sent: 2, left_out: 1 }]);
    watchdogs.close();
  });

  it("counts skipped messages, and continues", async () => {
    const watchdogs = make();
    watchdogs.start(record);
    answer = { result: "refused", reason: "a turn is running", proven: null };
    await vi.advanceTimersByTimeAsync(31_000);
    answer = new Error("another action on api is under way");
    await vi.advanceTimersByTimeAsync(30_000);
    answer = { result: "done", reason: "", proven: true };
    await vi.advanceTimersByTimeAsync(30_000);
    expect(watchdogs.list()).toMatchObject([{ sent: 1, left_out: 2 }]);
    watchdogs.close();
  });

  it("outlives a restart, and ends with its agent", async () => {
    make().start(record);
    vi.clearAllTimers();
    const next = make();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(said.length).toBe(1);
    endedAt = 1;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said.length).toBe(1);
    expect(next.list()).toEqual([]);
    expect(make().list()).toEqual([]);
  });

  it("types nothing while control is not permitted, and reports it", async () => {
    const watchdogs = make();
    watchdogs.start(record);
    objection = "a user can allow control of it with rouse allow api";
    await vi.advanceTimersByTimeAsync(61_000);
    expect(said).toEqual([]);
    expect(watchdogs.list()).toMatchObject([{ sent: 0, left_out: 2, last_result: objection }]);
    watchdogs.close();
  });

  it("ends with the token that started it, also in the next run of the daemon", async () => {
    make().start(record);
    vi.clearAllTimers();
    const next = make();
    isRevoked = true;
    await vi.advanceTimersByTimeAsync(31_000);
    expect([said, next.list()]).toEqual([[], []]);
    const own = make();
    own.start({ ...record, token: null });
    await vi.advanceTimersByTimeAsync(31_000);
    expect(said.length).toBe(1);
    own.close();
  });

  it("replaces an earlier timer of the same agent", async () => {
    const watchdogs = make();
    watchdogs.start(record);
    watchdogs.start({ ...record, interval_secs: 60, message: "check" });
    await vi.advanceTimersByTimeAsync(61_000);
    expect(said.map(({ text }) => text)).toEqual(["check"]);
    watchdogs.close();
  });
});
