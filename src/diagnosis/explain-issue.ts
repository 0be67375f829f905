/** The first thing that is wrong with JSON from a program: "jobs.0.status: expected one of …". */
import type * as z from "zod";
import { sanitize } from "../core/text/sanitize.js";

export function explainIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  const where = issue?.path.length ? `${issue.path.map(String).join(".")}: ` : "";
  return sanitize(`${where}${issue?.message ?? "not valid"}`, 300);
}
