/**
 * `rouse init`: begins the configuration file, and puts hooks into the settings of the agents' programs, so that their
 * edges are told as they happen.
 */
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, type Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { partOf } from "../../programs/part.js";
import { BadInput } from "../../replay/bad-input.js";
import { agentsDiff, applyAgents, planAgents } from "../../setup/agents.js";
import { beginConfig } from "../../setup/config.js";
import {
  applyHooks,
  HOOK_PROGRAMS,
  type HookPlan,
  hooksOf,
  planHooks,
  programsInUse,
} from "../../setup/hooks-install.js";
import { applyService, installedText, planService, removedText } from "../../setup/service.js";
import { unifiedDiff } from "../../setup/unified-diff.js";
import { httpNotes, httpTarget, otelText } from "../init-http.js";
import { deletePlugin, type HookWay, hookWay, pluginFolder, writePlugin } from "../init-plugin.js";

export function addInit(program: Command, setExit: (code: number) => void): void {
  program
    .command("init")
    .summary("begin the configuration file, and install hooks into the agents' programs")
    .description(
      "Begins a configuration file with every setting explained, unless there is one; the block agents.health of a\n" +
        ".botbox.json in this folder is taken over. Then adds hooks that tell the daemon of prompts, tools, permissions\n" +
        "and ends as they happen; comments and other hooks stay. Without a program: all that have settings here. With\n" +
        "one: its hooks alone; claude-code by name gets the plugin, where its release has such.",
    )
    .addArgument(
      new Argument(
        "[program]",
        "whose hooks; or agents-md: how agents report, as a part of this folder's AGENTS.md",
      ).choices([...HOOK_PROGRAMS, AGENTS] as const),
    )
    .option("--dry-run", "show what would change, hooks as a diff, and change nothing")
    .option(
      "--remove",
      "take exactly these hooks, the plugin or the part of AGENTS.md out again; the configuration stays",
    )
    .option("--plugin", "claude-code: install the plugin: hooks, tools (MCP) and /rouse")
    .option("--no-plugin", "claude-code: put hooks into its settings instead of the plugin")
    .option(
      "--http",
      "let Claude Code post its hooks to the daemon, without a process for each; for a daemon that is always up",
    )
    .option("--otel", "show what makes Claude Code and Codex send their telemetry to the daemon; nothing is changed")
    .option("--service", "make the daemon a user service of systemd instead: one that starts with you and is watched")
    .action(async (name, options, self) => {
      const clash = clashIn(name, options);
      if (clash !== null) self.error(`error: ${clash}`, { exitCode: 2 });
      if (name === AGENTS) {
        setExit(initAgents(options.remove === true, options.dryRun === true));
        return;
      }
      if (options.service) {
        setExit(initService(options.remove === true, options.dryRun === true));
        return;
      }
      if (options.otel) {
        process.stdout.write(otelText(httpTarget(options.dryRun === true)));
        return;
      }
      if (name === undefined && !options.remove) {
        const path = join(rousePaths().config, "config.toml");
        const { text, issues } = beginConfig(path, process.cwd(), options.dryRun === true);
        process.stdout.write(text);
        for (const issue of issues) process.stderr.write(`rouse: ${issue}\n`);
        if (issues.length > 0) setExit(1);
      }
      const programs = name === undefined ? programsInUse() : [name];
      if (programs.length === 0) {
        process.stdout.write(
          `hooks: no settings of ${HOOK_PROGRAMS.join(", ")} found; name one to begin them: rouse init ${HOOK_PROGRAMS[0]}\n`,
        );
        return;
      }
      const command = ownCommand();
      const isDry = options.dryRun === true;
      const remove = options.remove === true;
      const http = options.http && !remove ? httpTarget(isDry) : undefined;
      let hasFailed = false;
      for (const program of programs) {
        const asked = { command, http, remove };
        const found = planHooks(program, asked);
        const plugin = partOf(hooksOf(program).plugin);
        const wanted = http ? false : options.plugin;
        const { way, note } =
          plugin && !remove
            ? await hookWay({ program, plugin, settings: found.before, wanted, isNamed: name !== undefined })
            : HOOKS;
        const plan =
          plugin && way === "plugin" ? planHooks(program, { ...asked, plugin: pluginFolder(plugin) }) : found;
        if (plan.error !== null) {
          process.stderr.write(`rouse: ${plan.error}\n`);
          hasFailed = true;
          continue;
        }
        const text = way === "nothing" ? "" : isDry ? dryText(plan, way) : carryOut(plan, way, command, remove);
        // The diff is for reading, and may be shown around.
        process.stdout.write(http ? text.replaceAll(http.key, "KEY") : text);
        if (note !== null) process.stderr.write(`${program}: ${note}\n`);
        if (http) process.stderr.write(httpNotes(plan, http));
      }
      if (hasFailed) setExit(1);
    });
}

const AGENTS = "agents-md";
const WITH_PLUGIN: readonly string[] = HOOK_PROGRAMS.filter((program) => partOf(hooksOf(program).plugin));

interface InitOptions {
  remove?: true | undefined;
  plugin?: boolean | undefined;
  http?: true | undefined;
  otel?: true | undefined;
  service?: true | undefined;
}

/** What does not go together, so that nothing that was asked for is passed over; null where all does. */
function clashIn(name: string | undefined, { remove, plugin, http, otel, service }: InitOptions): string | null {
  const isAgents = name === AGENTS;
  const clashes: readonly (readonly [unknown, string])[] = [
    [
      plugin !== undefined && name !== undefined && !WITH_PLUGIN.includes(name),
      `--plugin and --no-plugin are about ${WITH_PLUGIN.join(", ")}`,
    ],
    [plugin && http, "--http goes without --plugin: the plugin holds no key"],
    [service && name !== undefined, "--service goes without a program: it is about rouse's own daemon"],
    [service && otel, "--service and --otel are two things; ask for one"],
    [(service || otel) && (http || plugin !== undefined), "--service and --otel go without --http and --plugin"],
    [isAgents && (otel || http), "agents-md goes without --otel and --http"],
    [otel && name !== undefined, "--otel goes without a program: it shows what all of them need"],
    [otel && remove, "--otel changes nothing, so there is nothing to remove; take those lines out where you put them"],
  ];
  return clashes.find(([isSo]) => isSo)?.[1] ?? null;
}

const HOOKS: HookWay = { way: "hooks", note: null };

const dryText = (plan: HookPlan, way: HookWay["way"]): string =>
  unifiedDiff(plan.path, plan.before, plan.after) +
  (way === "plugin" ? `${plan.program}: would write the plugin ${folderOf(plan)}\n` : "");

const folderOf = ({ program }: HookPlan): string => {
  const plugin = partOf(hooksOf(program).plugin);
  return plugin ? pluginFolder(plugin) : "";
};

function initAgents(remove: boolean, isDry: boolean): number {
  const plan = planAgents(process.cwd(), remove);
  if (plan.error !== null) {
    process.stderr.write(`rouse: ${plan.error}\n`);
    return 1;
  }
  process.stdout.write(isDry ? agentsDiff(plan) : applyAgents(plan));
  return 0;
}

function initService(remove: boolean, isDry: boolean): number {
  if (process.platform !== "linux")
    throw new BadInput(
      "--service writes a unit of systemd, which this system has not; the daemon starts on first need",
    );
  const plan = planService(remove);
  const isSame = plan.before === plan.after;
  if (plan.error !== null) {
    process.stderr.write(`rouse: ${plan.error}\n`);
    if (isDry) process.stdout.write(unifiedDiff(plan.path, plan.before, plan.after));
    return 1;
  }
  if (isDry) process.stdout.write(unifiedDiff(plan.path, plan.before, plan.after));
  else if (isSame) process.stdout.write(`${plan.path}: nothing to do\n`);
  else {
    applyService(plan);
    process.stdout.write(remove ? removedText(plan.path) : installedText(plan.path));
  }
  return 0;
}

function carryOut(plan: HookPlan, way: HookWay["way"], command: readonly string[], remove: boolean): string {
  const { program, path } = plan;
  const { plugin: part, pluginState } = hooksOf(program);
  const plugin = partOf(part);
  const isPlugin = way === "plugin";
  // First what the settings will lead to; what they no longer lead to goes last.
  const isWritten = plugin && isPlugin && pluginState(plan.before) !== "foreign" && writePlugin(plugin, command);
  const backup = applyHooks(plan);
  const isGone = plugin && !isPlugin && deletePlugin(plugin);
  if (plan.before === plan.after && !isWritten && !isGone)
    return `${program}: nothing to do${isPlugin ? "; its hooks are those of the plugin" : ""}\n`;
  const kept = backup === null ? "" : `; as it was: ${backup}`;
  const lines = [
    ...(plan.before === plan.after ? [] : [`${path} ${plan.isSpent ? "removed" : "changed"}${kept}`]),
    ...(isWritten ? [`plugin ${folderOf(plan)} written: hooks, tools (MCP) and /rouse`] : []),
    ...(isGone ? [`plugin ${folderOf(plan)} removed`] : []),
    ...(remove ? [] : ["sessions that run already do not notice"]),
  ];
  return lines.map((line) => `${program}: ${line}\n`).join("");
}

/** By its name where that leads here, so that an update does not break the hooks; else by its path. */
function ownCommand(): string[] {
  const own = realpathSync(fileURLToPath(new URL("../../../bin/rouse", import.meta.url)));
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    try {
      const found = join(folder, "rouse");
      accessSync(found, constants.X_OK);
      return realpathSync(found) === own ? ["rouse"] : [own];
    } catch {
      // Not in this folder.
    }
  }
  return [own];
}
