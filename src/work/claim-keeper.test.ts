import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { START } from "../../test/support/steps.js";
import { LEASE_MS, RENEW_MS } from "../hub/hub.js";
import { loadSqlite } from "../store/sqlite.js";
import { ClaimKeeper, PATIENCE_MS } from "./claim-keeper.js";
import { NodeHub } from "./node-hub.js";

let state: string;
let hub: NodeHub;
let now: number;
let alive: Map<string, boolean>;
let signals: string[];
let logged: string[];
let keeper: ClaimKeeper;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "rouse-claims-"));
  now = START;
  hub = new NodeHub({ state, node: "lab", instance: "i", version: "1", now: () => now });
  alive = new Map([["s1", true]]);
  signals = [];
  logged = [];
  keeper = new ClaimKeeper({
    hub,
    holderOf: ({ session }) => (alive.get(session) === true ? session : null),
    isKnown: () => true,
    signal: async (session, signal) => void signals.push(`${session} ${signal.kind} ${signal.task}`),
    now: () => now,
    log: (line) => logged.push(line),
  });
});
afterEach(async () => {
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

async function claimed(session = "s1"): Promise<number> {
  const store = await hub.open();
  const { id } = await store.add({ title: "x" }, "user");
  await store.claim(id, { agent: session, session });
  return id;
}

async function pass(ms: number): Promise<void> {
  for (const end = now + ms; now < end; ) {
    now = Math.min(end, now + 10_000);
    await keeper.tick();
  }
}

const status = async (id: number): Promise<string> => (await (await hub.open()).get(id)).status;

describe("a claim", () => {
  it("is kept while its session lives, however long it reports nothing", async () => {
    const id = await claimed();
    await pass(3 * PATIENCE_MS);
    expect(await status(id)).toBe("in_progress");
    expect(signals).toEqual([]);
  });

  it("is kept while many tasks of other nodes come before it", async () => {
    const id = await claimed();
    const file = loadSqlite().open(join(state, "hub.db"));
    file.exec(`create temp table others as select * from tasks, (with recursive n (i) as (select 1 union all select i + 1 from n
        limit 201) select i from n);
      update others set id = i + 1, priority = 1;
      alter table others drop column i;
      insert into tasks select * from others`);
    file.close();
    await pass(LEASE_MS + PATIENCE_MS + RENEW_MS);
    expect(await status(id)).toBe("in_progress");
  });

  it("of a session that ended is offered again after the lease and the patience, and not before", async () => {
    const id = await claimed();
    await pass(RENEW_MS);
    alive.set("s1", false);
    await pass(LEASE_MS + PATIENCE_MS - RENEW_MS);
    expect(await status(id)).toBe("in_progress");
    await pass(2 * RENEW_MS);
    expect(await status(id)).toBe("pending");
  });

  it("that was taken away is no longer expected of its session", async () => {
    const id = await claimed();
    await pass(RENEW_MS);
    const store = await hub.open();
    const list = store.list.bind(store);
    const open = await list({ status: ["in_progress"] });
    // Between the list and the renewal.
    store.list = async () => {
      await store.transition(id, "block", { actor: "user", author: "user", error: "x" });
      store.list = list;
      return open;
    };
    await pass(RENEW_MS);
    expect(signals).toEqual([`s1 claim ${id}`]);
  });
});

describe("the keeper", () => {
  it("creates no hub on a machine without tasks", async () => {
    await pass(RENEW_MS * 2);
    expect(hub.isUsed()).toBe(false);
  });

  it("reports an unreachable hub once, and goes on when it answers", async () => {
    const id = await claimed();
    const store = await hub.open();
    const renew = store.renew.bind(store);
    store.renew = () => Promise.reject(new Error("away"));
    await pass(RENEW_MS * 3);
    store.renew = renew;
    await pass(RENEW_MS * 2);
    expect(logged).toEqual(["the claims of tasks could not be renewed: away", "the hub answers again"]);
    expect(await status(id)).toBe("in_progress");
  });
});
