/** `rouse audit`: orders of clients and actions of rouse, with their authors. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { AuditLineView } from "../../api/service/audit.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { upperFirst } from "../../core/text/sentences.js";
import { parseNamed } from "../arguments.js";
import { requestOperation } from "../ask.js";
import { call } from "../client.js";
import { parseSince } from "../since.js";
import { localTime } from "../text/incident.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf } from "../text/width.js";

const LIMIT = 100;
const LIMIT_MAX = 5000;

export function addAudit(program: Command, _setExit: (code: number) => void): void {
  program
    .command("audit")
    .summary("Show who changed settings, typed or ended agents")
    .description(
      "List the audit trail, oldest first: changes to permissions, silences, tokens, policies and configuration, text typed\n" +
        "into agents, and processes started or ended, each with its author, interface, time and outcome. `rouse doctor`\n" +
        "reports missing or altered lines.",
    )
    .option("--since <when>", "8h, 22:00, or an ISO 8601 date", (value: string) => parseSince(value))
    .option("--agent <name>", "only lines about this agent", parseNamed)
    .option("--limit <number>", "show at most this many lines, the latest ones", parseLimit, LIMIT)
    .option("--json", "print JSON")
    .option("--accept", "accept missing and altered lines, so that doctor stops reporting them")
    .action(async ({ since, agent, limit, json, accept }) => {
      if (accept) {
        const answer = await call("accept_audit", {});
        process.stdout.write(json ? `${sanitizedJson(answer)}\n` : acceptedText(answer.accepted));
        return;
      }
      const answer = await requestOperation("audit", {
        since: Math.floor(since ?? 0),
        limit,
        ...(agent === undefined ? {} : { agent }),
      });
      process.stdout.write(json ? `${sanitizedJson(answer)}\n` : auditText(answer.lines, process.stdout));
    });
}

const acceptedText = (problems: readonly string[]): string =>
  problems.length === 0
    ? "Nothing to accept: the audit trail is complete.\n"
    : `Accepted:\n${problems.map((problem) => `  ${sanitize(problem)}\n`).join("")}`;

export function auditText(
  lines: readonly AuditLineView[],
  screen: { columns?: number },
  now: number = Date.now(),
): string {
  if (lines.length === 0) return "No lines.\n";
  const columns: Column<AuditLineView>[] = [
    { title: "TIME", text: ({ at }) => localTime(at, now) },
    { title: "AUTHOR", text: ({ author }) => author, min: 8 },
    { title: "INTERFACE", text: ({ origin }) => origin, spare: 1 },
    { title: "ACTION", text: ({ action }) => action.replaceAll("_", " ") },
    { title: "AGENT", text: ({ agent }) => agent ?? "-", min: 6 },
    { title: "RESULT", text: ({ result }) => result ?? "-" },
    { title: "DETAILS", text: detailsOf, min: 12 },
  ];
  return tableText(columns, lines, columnsOf(screen));
}

const detailsOf = ({ text, reason }: AuditLineView): string => [text, upperFirst(reason)].filter(Boolean).join(" | ");

function parseLimit(value: string): number {
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`It must be a number from 1 to ${LIMIT_MAX}.`);
}
