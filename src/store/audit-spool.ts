/**
 * Lines of the audit trail that commands write while no daemon can store them. The next daemon takes them into the journal.
 * A removed file hides nothing: the changes of files that it would explain are then recorded as unexplained.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { AUDIT_ORIGINS, AUDIT_RESULTS, type AuditEntry, type AuditOutcome, entryText } from "./audit-entry.js";
import type { AuditTable } from "./audit-table.js";

export interface SpooledLine {
  /** Its key identifies the command, so that its lines are taken once. */
  entry: AuditEntry & { key: string };
  /** Null before it runs. */
  outcome: AuditOutcome | null;
  /** Files that the command changed, with their digests after it. */
  files: { path: string; digest: string }[];
}

/** More is not taken: a command writes two lines. */
const LINES_MAX = 5000;

const spoolPath = (state: string): string => join(state, "audit-spool.jsonl");

export function spoolLine(state: string, { entry, outcome, files }: SpooledLine): void {
  const line = { entry: JSON.parse(entryText(entry)) as object, outcome, files };
  appendFileSync(spoolPath(state), `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

/**
 * Returns the lines that were not known. Throws if the lines cannot be stored; they stay in the file then. `digestOf`: of a file
 * as it is now.
 */
export function takeSpool(state: string, audit: AuditTable, digestOf: (path: string) => string): SpooledLine[] {
  const path = spoolPath(state);
  const taking = `${path}.taking`;
  // Left by a daemon that was killed.
  if (!existsSync(taking) && existsSync(path)) renameSync(path, taking);
  if (!existsSync(taking)) return [];
  const lines = readFileSync(taking, "utf8").split("\n").slice(0, LINES_MAX).flatMap(parse);
  const added: SpooledLine[] = [];
  audit.inOne(() => {
    for (const one of lines) {
      const { entry, outcome, files } = one;
      const known = audit.find(entry.key);
      if (known === null) added.push(one);
      const line = known ?? audit.put(entry);
      if (outcome !== null && audit.get(line)?.outcome === null) audit.putOutcome(line, outcome);
      for (const { path, digest } of files) if (digestOf(path) === digest) audit.putDigest(path, digest);
    }
  });
  rmSync(taking);
  return added;
}

const schema = z.object({
  entry: z.object({
    at: z.number(),
    author: z.string(),
    origin: z.enum(AUDIT_ORIGINS),
    // Actions of the trail itself are rouse's own.
    action: z.string().regex(/^(?!audit_)/),
    agent: z.string().nullable(),
    session: z.string().nullable(),
    text: z.string(),
    key: z.string().min(1).max(200),
  }),
  outcome: z.object({ at: z.number(), result: z.enum(AUDIT_RESULTS), reason: z.string() }).nullable(),
  files: z.array(z.object({ path: z.string().max(4000), digest: z.string().max(64) })).max(20),
});

function parse(text: string): SpooledLine[] {
  try {
    const line = schema.safeParse(JSON.parse(text));
    return line.success ? [line.data] : [];
  } catch {
    return [];
  }
}
