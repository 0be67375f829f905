/** Orders of clients in the audit trail: a line before the order is carried out, its result afterwards. */
import type { AuditedFiles } from "../daemon/audited-files.js";
import type { AuditAuthor, AuditResult } from "../store/audit-entry.js";
import type { AuditTable } from "../store/audit-table.js";
import { ApiError } from "./error.js";

export interface RecordedOrder {
  action: string;
  agent: string | null;
  session: string | null;
  text: string;
}

export class OrderLog {
  readonly #audit: AuditTable;
  readonly #files: Pick<AuditedFiles, "finish">;
  readonly #now: () => number;

  constructor(audit: AuditTable, files: Pick<AuditedFiles, "finish">, now: () => number) {
    this.#audit = audit;
    this.#files = files;
    this.#now = now;
  }

  /** Throws `ApiError` if it cannot be stored; then the order must not run. Returns the number of the line. */
  begin({ author, origin }: AuditAuthor, order: RecordedOrder): number {
    try {
      return this.#audit.intend({ at: this.#now(), author, origin, ...order });
    } catch (error) {
      throw new ApiError("refused", `nothing was done, because it cannot be recorded: ${(error as Error).message}`);
    }
  }

  finish(line: number, result: AuditResult, reason: string): void {
    this.#files.finish(line, result, reason);
  }

  /** Runs it between its two lines. `isRequired`: it does not run unless it can be recorded. */
  async around<T>(by: AuditAuthor, order: RecordedOrder, isRequired: boolean, run: () => T | Promise<T>): Promise<T> {
    let line: number | null = null;
    try {
      line = this.begin(by, order);
    } catch (error) {
      if (isRequired) throw error;
    }
    try {
      const answer = await run();
      if (line !== null) this.finish(line, "done", "");
      return answer;
    } catch (error) {
      if (line !== null) this.finish(line, error instanceof ApiError ? "refused" : "failed", (error as Error).message);
      throw error;
    }
  }
}

/** The name of an order: of a command that the command line carries out, the command. */
export const actionOf = (operation: string): string => operation.replace(/^local_/, "").replaceAll(" ", "_");

/** The arguments of an order as one text: names and values; of variables only the names. */
export function orderText(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(([name, value]) => name !== "agent" && value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}=${name === "env" ? Object.keys(value as object).join(",") : valueText(value)}`)
    .join(" ");
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(",");
  if (value === null) return "none";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
