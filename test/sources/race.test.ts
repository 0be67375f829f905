/** Two nodes of rouse and a foreign client want the same issues, all as processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openHub } from "../../src/hub/open.js";
import { Tracker } from "../support/trackers.js";

/** Longer than two calls of a stand-in take. */
const SETTLE_MS = 1_500;

interface Start {
  key: string;
  by: string;
}

const running = new Set<ChildProcess>();
let folder: string;
let tracker: Tracker;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-race-"));
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
  tracker.remove();
  rmSync(folder, { recursive: true, force: true });
});

function run(script: string, ...args: string[]): { starts: Start[]; ended: Promise<void>; errors: () => string } {
  const child = spawn(process.execPath, [join(import.meta.dirname, "..", script), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, STAND_INS: tracker.folder },
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  const starts: Start[] = [];
  let rest = "";
  let errors = "";
  child.stderr.on("data", (part: Buffer) => (errors += part.toString()));
  child.stdout.on("data", (part: Buffer) => {
    const lines = (rest + part.toString()).split("\n");
    rest = lines.pop() ?? "";
    starts.push(...lines.map((line) => JSON.parse(line) as Start).filter((one) => typeof one === "object"));
  });
  const ended = new Promise<void>((resolve, reject) =>
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}: ${errors}`)),
    ),
  );
  return { starts, ended, errors: () => errors };
}

/**
 * A claim on GitHub takes ten calls, and its last updates may arrive after the end of the race: in full only. One run of 16 issues
 * of 2026-11-19 had an issue that was done in rouse and not yet closed there.
 */
const GITHUB = process.env.ROUSE_FULL ? [["github", "gh", 50] as const] : [];

describe.each([["beads", "bd", 50] as const, ...GITHUB])(
  "the issues of %s, wanted by two nodes and a foreign client",
  (kind, program, count) => {
    it("are each started once, and what the foreign client holds stays its own", async () => {
      tracker = new Tracker(kind, { settleMs: SETTLE_MS });
      for (let key = 1; key <= count; key++) tracker.add(String(key), `Issue ${key}`);
      tracker.setFaults({ every: 7, kinds: ["lost", "limit", "broken"], delayMs: 100 });
      const worker = (name: string) =>
        run(
          "support/source-worker.mjs",
          JSON.stringify({
            hub: { state: folder },
            state: mkdtempSync(join(folder, name)),
            settings: tracker.settings,
            name,
          }),
        );
      const clients = [
        worker("north"),
        worker("south"),
        run("stand-ins/claimant.mjs", program, String(count), String(SETTLE_MS)),
      ];
      await Promise.all(clients.map(({ ended }) => ended));

      const starts = clients.flatMap((client) => client.starts);
      const keys = starts.map(({ key }) => key);
      expect(keys.length, "no issue is started twice").toBe(new Set(keys).size);
      for (const client of clients) expect(client.starts.length).toBeGreaterThan(0);
      const hub = await openHub({ state: folder, node: "reader" });
      try {
        const foreign = starts.filter(({ by }) => by === "alice");
        for (const { key } of foreign) {
          expect(tracker.issue(key)).toMatchObject({ isOpen: true, holder: "alice" });
          const [task] = await hub.list({ source: "tracker", sourceKey: key });
          if (task) expect(task).toMatchObject({ status: "blocked", lastError: "Claimed in tracker by alice." });
        }
        for (const { key } of starts.filter(({ by }) => by !== "alice")) {
          const [task] = await hub.list({ source: "tracker", sourceKey: key });
          expect(task?.status).toBe("done");
          expect(tracker.issue(key).isOpen, `issue ${key} is closed`).toBe(false);
        }
      } finally {
        await hub.close();
      }
    });
  },
);
