/** `rouse allow`: whom rouse may act on. */
import type { Command } from "@commander-js/extra-typings";
import type { PermissionsView } from "../../api/service/permissions.js";
import { suggestName } from "../../config/suggest.js";
import type { Problem } from "../../core/incidents/problem.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { collectNames } from "../arguments.js";
import { askUser } from "../ask.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { parseProblem } from "../options.js";
import { parseDuration } from "../since.js";
import { localTime } from "../text/incident.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf } from "../text/width.js";

export function addAllow(program: Command, _setExit: (code: number) => void): void {
  program
    .command("allow")
    .summary("let rouse act: on agents that it starts, or on one by name; without arguments, what is allowed")
    .description(
      "A new installation touches nothing and says what it would have done. --all lets rouse act on every agent that it\n" +
        "starts (run, spawn), now and later; agents that it only watches (tmux, other terminals) need their name each.\n" +
        "It holds across restarts. Dialogs are never answered, whatever is allowed; see docs/acting.md.",
    )
    .argument("[agents...]", "names of agents", collectNames)
    .option("--all", "every agent that rouse starts; with --off, nobody any more")
    .option("--for <duration>", "only so long: 90s, 10m, 8h, 2d", parseDuration)
    .option("--off", "take it back")
    .option(
      "--except <problem>",
      "leave this problem alone, such as rate_limited; may be given several times",
      (value: string, before: Problem[] | undefined) => [...(before ?? []), parseProblem(value)],
    )
    .option("--json", "for programs")
    .addHelpText(
      "after",
      "\nExamples:\n  rouse allow --all\n  rouse allow web --for 8h\n  rouse allow api --except rate_limited\n  rouse allow api --off\n",
    )
    .action(async (names, { all, for: ms, off, except = [], json }, self) => {
      const refuse = (text: string): never => self.error(`error: ${text}`, { exitCode: 2 });
      const isAsking = names.length === 0 && !all;
      if (isAsking && (ms !== undefined || off || except.length > 0))
        refuse("say whom it is about: names of agents, or --all");
      if (names.length > 0 && all) refuse("give names of agents or --all, not both");
      if (off && except.length > 0) refuse("--off forbids everything; leave --except out");
      if (!isAsking) await ensureDaemon();
      const agents = all ? ("all" as const) : names;
      const for_secs = ms === undefined ? null : ms / 1000;
      const view = await (isAsking
        ? askUser("permissions", {})
        : call("allow", { agents, allowed: off !== true, except, for_secs }));
      if (json) process.stdout.write(`${sanitizedJson(view)}\n`);
      else process.stdout.write(allowText(view, process.stdout) + strangersText(names, view));
    });
}

type GrantRow = PermissionsView["agents"][number];

export function allowText(
  { all, agents }: PermissionsView,
  screen: { columns?: number },
  now: number = Date.now(),
): string {
  const head = all?.allowed
    ? `rouse acts on every agent that it starts${endText(all, now)}\n`
    : agents.some(({ allowed }) => allowed)
      ? "rouse acts on these alone:\n"
      : 'rouse acts on nobody, and says what it would have done. "rouse allow --all" lets it act on agents that it starts\n';
  // One who is not there, and may do nothing anyhow, is no news.
  const shown = agents.filter((one) => one.origin !== null || one.allowed || all?.allowed);
  if (shown.length === 0) return head;
  const columns: Column<GrantRow>[] = [
    { title: "AGENT", text: ({ agent }) => agent, min: 8 },
    { title: "SEEN IN", text: ({ origin }) => origin ?? "–" },
    { title: "ACTS", text: (row) => (row.allowed ? "yes" : "no") },
    { title: "WHY", text: (row) => whyText(row, now), min: 10 },
  ];
  return head + tableText(columns, shown, columnsOf(screen));
}

function whyText(row: GrantRow, now: number): string {
  const { by, allowed, origin } = row;
  if (by !== null) return `${by === "name" ? "said of it by name" : "started by rouse"}${endText(row, now)}`;
  if (!allowed && origin !== "run" && origin !== "spawn") return "only watched: it needs its name";
  return "nothing was said";
}

function endText({ except, until }: { except: readonly Problem[]; until: string | null }, now: number): string {
  return [
    ...(except.length > 0 ? [`, but not about ${except.join(", ")}`] : []),
    ...(until === null ? [] : [`, until ${localTime(until, now)}`]),
  ].join("");
}

/** A name may be meant for later; it may also be a slip. */
export function strangersText(names: readonly string[], { agents }: PermissionsView): string {
  const running = new Set(agents.flatMap(({ agent, origin }) => (origin === null ? [] : [agent])));
  return [...new Set(names)]
    .filter((name) => !running.has(sanitize(name, 80)))
    .map((name) => {
      const near = suggestName(name, running);
      const meant = near === null ? "" : `; did you mean ${near}?`;
      return `no agent called ${sanitize(name, 80)} runs now; it holds as soon as one does${meant}\n`;
    })
    .join("");
}
