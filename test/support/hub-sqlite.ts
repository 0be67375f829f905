/** The hub on SQLite in a folder of its own. Agents and owner use SQL through another connection, as any program would. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hub } from "../../src/hub/hub.js";
import { openHub } from "../../src/hub/open.js";
import { loadSqlite } from "../../src/store/sqlite.js";
import type { HubRig } from "./hub-suite.js";

export async function sqliteRig(): Promise<HubRig> {
  const state = mkdtempSync(join(tmpdir(), "rouse-hub-"));
  const hubs: Hub[] = [];
  let now = Date.parse("2026-03-01T14:00:00Z");
  const sql = async (file: string, text: string): Promise<void> => {
    const database = loadSqlite().open(join(state, file));
    try {
      database.exec(text);
    } finally {
      database.close();
    }
  };
  return {
    async open(node = "lab-1") {
      const hub = await openHub({ state, node, now: () => now });
      hubs.push(hub);
      return hub;
    },
    async advance(ms) {
      now += ms;
    },
    agentSql: (text) => sql("progress.db", text),
    ownerSql: (text) => sql("hub.db", text),
    appendStep: (step) => `json_insert(completed_steps, '$[#]', ${step})`,
    async close() {
      for (const hub of hubs) await hub.close();
      rmSync(state, { recursive: true });
    },
  };
}
