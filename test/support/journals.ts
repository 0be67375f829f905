/** Journals in a temporary folder of each test, closed and removed after it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";
import { type Journal, type JournalOptions, openJournal } from "../../src/store/journal.js";
import { sessionOf } from "./sessions.js";

/** The journal of the current test. */
export const at: { root: string; path: string } = { root: "", path: "" };
const open: Journal[] = [];

/** Call once in a test file. */
export function useJournals(): void {
  beforeEach(() => {
    at.root = mkdtempSync(join(tmpdir(), "rouse-journal-"));
    at.path = join(at.root, "state", "journal.db");
  });
  afterEach(() => {
    for (const journal of open.splice(0)) journal.close();
    rmSync(at.root, { recursive: true, force: true });
  });
}

export function start(options: JournalOptions = {}): Journal {
  return opened(openJournal(at.path, options).journal);
}

/** Closed after the test. */
export function opened(journal: Journal): Journal {
  open.push(journal);
  return journal;
}

export const session = (name: string): AgentSession =>
  sessionOf({ id: name, name, tags: ["worker"], command: ["true"], workspace: "/w", startedAt: 1000 });

export const output = (at: number): Signal => ({ kind: "output", at, source: "screen", bytes: at });
export const numbers = (from: number, count: number): Signal[] =>
  Array.from({ length: count }, (_, i) => output(from + i));
export const seqs = (journal: Journal, name: string): (number | null)[] =>
  [...journal.read(name)].map((stored) => stored.seq);

export async function filled(journal: Journal, name: string, from: number, count: number, at = 1): Promise<void> {
  const done = journal.append(name, from, numbers(from, count), at);
  journal.flush();
  await done;
}

export function pruneAll(journal: Journal, bounds: Parameters<Journal["prune"]>[0]): number {
  let removed = 0;
  for (let more = true; more; ) {
    const pruned = journal.prune(bounds);
    removed += pruned.removed;
    more = pruned.more;
  }
  return removed;
}
