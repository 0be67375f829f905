/**
 * One writer per journal. The lock is an open transaction on a small database beside it: the system releases it when
 * its process ends, however it ends, so there is no stale lock. A text file names the holder.
 */
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { JournalError } from "./journal-error.js";
import type { Database, Sqlite } from "./sqlite.js";

/** Releases the lock. */
export type Release = () => void;

/** The lock, or a text that names its holder. */
export function takeLock(sqlite: Sqlite, journalPath: string): Release | { holder: string } {
  const holderPath = `${journalPath}.holder`;
  const database = sqlite.open(`${journalPath}.lock`);
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
  } catch (error) {
    database.close();
    const message = String((error as Error).message).slice(0, 300);
    if (!/\block(?:ed)?\b|busy/i.test(message))
      throw new JournalError("unwritable", `the journal ${journalPath} cannot be locked: ${message}`, error);
    return { holder: holderOf(holderPath) };
  }
  try {
    writeFileSync(holderPath, `process ${process.pid}, since ${new Date().toISOString()}\n`, { mode: 0o600 });
  } catch {
    // Only informative, as below.
  }
  return () => release(database, holderPath);
}

function release(database: Database, holderPath: string): void {
  try {
    unlinkSync(holderPath);
  } catch {
    // Only informative; the lock itself counts.
  }
  database.close();
}

function holderOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, 200).trim() || "another process";
  } catch {
    return "another process";
  }
}
