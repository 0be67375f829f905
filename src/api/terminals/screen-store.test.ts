import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScreenStore } from "./screen-store.js";

const DAY_MS = 24 * 3600_000;
const START = Date.parse("2026-11-20T08:00:00Z");
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-screens-"));
  path = join(folder, "screens.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("stored screens", () => {
  it("are found by agent and time: the last one up to that time", () => {
    const store = new ScreenStore(path);
    store.add("web", { at: START, state: "working", cause: null }, ["first"]);
    store.add("web", { at: START + 1000, state: "stuck", cause: "loop" }, ["second", "row"]);
    store.add("api", { at: START + 500, state: "idle", cause: null }, ["other"]);
    expect(store.before("web", START + 999)).toMatchObject({ state: "working", rows: ["first"] });
    expect(store.before("web", START + 5000)).toMatchObject({ cause: "loop", rows: ["second", "row"] });
    expect(store.before("web", START - 1)).toBeNull();
    expect(store.list("web").map(({ state }) => state)).toEqual(["stuck", "working"]);
    store.close();
  });

  it("are kept for 7 days, and at most 1000 per agent", () => {
    const store = new ScreenStore(path);
    store.add("old", { at: START - 7 * DAY_MS - 1, state: "idle", cause: null }, ["gone"]);
    for (let i = 0; i < 1100; i++) store.add("web", { at: START + i, state: "working", cause: null }, [`${i}`]);
    store.prune(START + 1100);
    expect(store.before("old", START)).toBeNull();
    expect(store.before("web", START + 99)).toBeNull();
    expect(store.before("web", START + 100)).toMatchObject({ rows: ["100"] });
    store.close();
  });

  it("start again when their file is damaged", () => {
    writeFileSync(path, "not a database".repeat(1000));
    const store = new ScreenStore(path);
    store.add("web", { at: START, state: "idle", cause: null }, ["row"]);
    expect(store.before("web", START)).toMatchObject({ rows: ["row"] });
    store.close();
  });
});
