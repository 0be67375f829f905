/** Whether the audit trail is complete: as the daemon reads it, or from the journal while no daemon runs. */
import { existsSync } from "node:fs";
import type { RousePaths } from "../../../config/paths.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { readHead } from "../../../store/audit-chain.js";
import { type AuditCheck, auditHeadPath, checkAudit } from "../../../store/audit-table.js";
import { loadSqlite } from "../../../store/sqlite.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";

const NAME = "audit trail";
const SHOWN_MAX = 5;

export function auditLine({ lines, problems }: Pick<AuditCheck, "lines" | "problems">): DoctorLine {
  if (problems.length === 0) return okLine(NAME, `${lines} ${lines === 1 ? "line" : "lines"}, none missing or altered`);
  const shown = problems.slice(0, SHOWN_MAX).map((problem) => sanitize(problem));
  const more = problems.length > SHOWN_MAX ? `, and ${problems.length - SHOWN_MAX} more` : "";
  return failLine(
    NAME,
    `${shown.join("; ")}${more}`,
    "another program changed the journal or restored an old one; if you know why, run `rouse audit --accept`",
  );
}

/** Without a daemon. Nothing if there is no journal. */
export function storedAuditLines({ journal }: Pick<RousePaths, "journal">): DoctorLine[] {
  const head = readHead(auditHeadPath(journal));
  if (!existsSync(journal))
    return head === null ? [] : [auditLine({ lines: 0, problems: ["the journal was removed"] })];
  try {
    const database = loadSqlite().openReadOnly(journal);
    try {
      const work = checkAudit(database, head);
      for (;;) {
        const step = work.next();
        if (step.done) return [auditLine(step.value)];
      }
    } finally {
      database.close();
    }
  } catch (error) {
    return [
      warnLine(
        NAME,
        `cannot be read: ${sanitize((error as Error).message)}`,
        "start the daemon with `rouse up`, and look again",
      ),
    ];
  }
}
