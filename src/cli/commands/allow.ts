/** `rouse allow`: permission for automatic recovery, for all agents or by name. */
import type { Command } from "@commander-js/extra-typings";
import type { PermissionsView } from "../../api/service/permissions.js";
import { rousePaths } from "../../config/paths.js";
import { otherNames } from "../../config/suggest.js";
import type { Problem } from "../../core/incidents/problem.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/bad-input.js";
import { listSessions } from "../../terminal/registry.js";
import { collectNames } from "../arguments.js";
import { requestOperation } from "../ask.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { parseProblem } from "../options.js";
import { parseDuration } from "../since.js";
import { localTime } from "../text/incident.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf, foldText } from "../text/width.js";

export function addAllow(program: Command, _setExit: (code: number) => void): void {
  program
    .command("allow")
    .summary("Turn automatic recovery on or off; show what is allowed")
    .description(
      "Turn automatic recovery on or off, and show what is allowed. By default rouse only reports what it would have done.\n" +
        "--all permits recovery of every agent\n" +
        "that rouse starts (run, spawn), now and later. Adopted agents (tmux, other terminals) must be allowed by name.\n" +
        "Permissions survive restarts. rouse never answers a dialog; see docs/acting.md.",
    )
    .argument("[agents...]", "names of agents", collectNames)
    .option("--all", "every agent that rouse starts; with --off, remove all permissions")
    .option("--for <duration>", "expire after this time: 90s, 10m, 8h, 2d", parseDuration)
    .option("--off", "turn auto-recovery off for these agents, even with --all")
    .option("--future", "also accept names of agents that are not running yet")
    .option(
      "--except <problem>",
      "exclude a problem, such as rate_limited; repeatable",
      (value: string, before: Problem[] | undefined) => [...(before ?? []), parseProblem(value)],
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  rouse allow --all\n  rouse allow web --for 8h\n  rouse allow api --except rate_limited\n  rouse allow api --off\n",
    )
    .action(async (names, { all, for: ms, off, future, except = [], json }, self) => {
      const refuse = (text: string): never => self.error(`error: ${text}`, { exitCode: 2 });
      const isAsking = names.length === 0 && !all;
      if (isAsking && (ms !== undefined || off || except.length > 0)) refuse("name the agents, or use --all");
      if (names.length > 0 && all) refuse("use names of agents or --all, not both");
      if (off && except.length > 0) refuse("--off cannot be combined with --except");
      if (!isAsking) await ensureDaemon();
      if (!off && !future && names.length > 0) await refuseUnknown(names);
      const agents = all ? ("all" as const) : names;
      const for_secs = ms === undefined ? null : ms / 1000;
      const view = await (isAsking
        ? requestOperation("permissions", {})
        : call("allow", { agents, allowed: off !== true, except, for_secs }));
      if (json) process.stdout.write(`${sanitizedJson(view)}\n`);
      else
        process.stdout.write(
          off
            ? foldText(offText(names), process.stdout, 0) + allowText(view, process.stdout)
            : allowText(view, process.stdout) + notRunningText(names, view),
        );
    });
}

/** A mistyped name must not become a permission for an agent of that name. */
async function refuseUnknown(names: readonly string[]): Promise<void> {
  const { agents } = await call("permissions", {});
  // An agent that has just started may not be known to the daemon yet.
  const started = listSessions(rousePaths()).flatMap(({ isAlive, name }) => (isAlive ? [name] : []));
  const complaint = unknownText(names, [...agents.map(({ agent }) => agent), ...started]);
  if (complaint !== null) throw new BadInput(complaint);
}

/** Names the first agent that is neither running nor permitted already; null if there is none. */
export function unknownText(names: readonly string[], known: readonly string[]): string | null {
  const unknown = names.find((name) => !known.includes(sanitize(name, 80)));
  if (unknown === undefined) return null;
  return `no agent named ${JSON.stringify(sanitize(unknown, 80))}; ${otherNames(unknown, known)}. To allow it before it starts, add --future`;
}

type GrantRow = PermissionsView["agents"][number];

export function allowText(
  { all, agents }: PermissionsView,
  screen: { columns?: number },
  now: number = Date.now(),
): string {
  // An agent that is not running is shown only if something is set for it.
  const shown = agents.filter((one) => one.origin !== null || one.allowed || all?.allowed || one.by === "name");
  const allowed = shown.filter((one) => one.allowed).length;
  const off = shown.filter(({ by, allowed: isOn }) => by === "name" && !isOn).map(({ agent }) => agent);
  const head = all?.allowed
    ? `Auto-recovery is on for all agents that rouse starts${endText(all, now)}.${off.length > 0 ? ` Turned off by name: ${off.join(", ")}.` : ""}\n`
    : allowed > 0
      ? `Auto-recovery is on for ${allowed} of ${shown.length} ${shown.length === 1 ? "agent" : "agents"}:\n`
      : "Auto-recovery is off for all agents (dry run). Turn it on: `rouse allow --all`\n";
  if (shown.length === 0) return foldText(head, screen, 0);
  const columns: Column<GrantRow>[] = [
    { title: "AGENT", text: ({ agent }) => agent, min: 8 },
    { title: "ORIGIN", text: ({ origin }) => origin ?? "–" },
    { title: "ALLOWED", text: (row) => (row.allowed ? "yes" : "no") },
    { title: "WHY", text: (row) => whyText(row, now), min: 10 },
  ];
  return foldText(head, screen, 0) + tableText(columns, shown, columnsOf(screen));
}

function whyText(row: GrantRow, now: number): string {
  const { by, allowed, origin } = row;
  if (by === "name") return `${allowed ? "allowed by name" : "turned off by name"}${endText(row, now)}`;
  if (by === "all") return `started by rouse${endText(row, now)}`;
  if (!allowed && origin !== "run" && origin !== "spawn") return "adopted: allow it by name";
  return "not allowed yet";
}

function endText({ except, until }: { except: readonly Problem[]; until: string | null }, now: number): string {
  return [
    ...(except.length > 0 ? [`, except ${except.join(", ")}`] : []),
    ...(until === null ? [] : [`, until ${localTime(until, now)}`]),
  ].join("");
}

/** Says which of the permitted names no agent has yet. */
export function notRunningText(names: readonly string[], { agents }: PermissionsView): string {
  const running = new Set(agents.flatMap(({ agent, origin }) => (origin === null ? [] : [agent])));
  return [...new Set(names.map((name) => sanitize(name, 80)))]
    .filter((name) => !running.has(name))
    .map((name) => `${name} is not running; the permission applies when it starts.\n`)
    .join("");
}

/** A denial by name is stored: it overrides a permission for all. */
export const offText = (names: readonly string[]): string =>
  [...new Set(names)]
    .map((name) => `Auto-recovery is off for ${sanitize(name, 80)}, even if it is on for all agents.\n`)
    .join("");
