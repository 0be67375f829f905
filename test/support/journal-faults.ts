import { openJournal } from "../../src/store/journal.js";
import { loadSqlite } from "../../src/store/sqlite.js";

/** Errors in the journal, read while nothing writes to it: every acknowledged signal is stored, and the file is valid. */
export function faultsOfJournal(path: string): string[] {
  const { journal, notes: faults } = openJournal(path);
  for (const { id: session, name } of journal.sessions()) {
    let stored = 0;
    for (const { seq } of journal.read(session)) {
      if (seq === null) continue;
      if (seq !== stored + 1) faults.push(`${name}: ${seq} follows ${stored}`);
      stored = seq;
    }
    if (stored !== journal.acked(session))
      faults.push(`${name}: ${journal.acked(session)} acknowledged, ${stored} stored`);
  }
  const { lost, skipped } = journal.stats();
  if (lost + skipped > 0) faults.push(`${lost} lost, ${skipped} unreadable`);
  journal.close();
  const database = loadSqlite().open(path);
  const [integrity] = Object.values(database.prepare("pragma integrity_check").get() ?? {});
  if (integrity !== "ok") faults.push(String(integrity));
  database.close();
  return faults;
}
