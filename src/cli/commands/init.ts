/**
 * `rouse init`: creates the configuration file and installs hooks into the settings of the agents' programs, so that the
 * daemon learns of events at once.
 */
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, type Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { partOf } from "../../programs/part.js";
import { BadInput } from "../../replay/bad-input.js";
import { agentsDiff, applyAgents, planAgents } from "../../setup/agents.js";
import { createConfig } from "../../setup/config.js";
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
import { permitted } from "../permit.js";
import { foldText } from "../text/width.js";

export function addInit(program: Command, setExit: (code: number) => void): void {
  program
    .command("init")
    .summary("Create the configuration file and install hooks")
    .description(
      "Create a commented configuration file if none exists, then install hooks that report prompts, tool calls,\n" +
        "permission requests and turn ends to the daemon. Comments and other hooks are kept. Without a program, install\n" +
        "hooks for every agent program that you have used. With a program, install only its hooks; claude-code gets the\n" +
        "plugin if its version supports it. Settings of the tool botbox (agents.health in .botbox.json) are imported.",
    )
    .addArgument(
      new Argument(
        "[program]",
        "program to install hooks into; agents-md: add a section on reporting to AGENTS.md",
      ).choices([...HOOK_PROGRAMS, AGENTS] as const),
    )
    .option("--dry-run", "show the changes without making them")
    .option("--remove", "remove the hooks, the plugin or the section of AGENTS.md; keep the configuration")
    .option("--plugin", "claude-code: install the plugin (hooks, MCP tools, /rouse)")
    .option("--no-plugin", "claude-code: install hooks into its settings instead of the plugin")
    .option(
      "--http",
      "Claude Code posts hooks to the daemon instead of running a command; needs a daemon that always runs",
    )
    .option("--otel", "print the settings that send telemetry of Claude Code and Codex to the daemon")
    .option("--service", "install the daemon as a systemd user service instead")
    .action(async (name, options, self) => {
      const clash = clashIn(name, options);
      if (clash !== null) self.error(`error: ${clash}`, { exitCode: 2 });
      const run = (): Promise<number> => runInit(name, options);
      const text = [name ?? "", ...Object.keys(options)].join(" ").trim();
      const own = join(rousePaths().config, "config.toml");
      setExit(options.dryRun ? await run() : await permitted("local_init", { text }, [own], run));
    });
}

/** Returns the exit code. */
async function runInit(name: string | undefined, options: InitOptions): Promise<number> {
  let code = 0;
  if (name === AGENTS) {
    return initAgents(options.remove === true, options.dryRun === true);
  }
  if (options.service) {
    return initService(options.remove === true, options.dryRun === true);
  }
  if (options.otel) {
    process.stdout.write(otelText(httpTarget(options.dryRun === true)));
    return 0;
  }
  if (name === undefined && !options.remove) {
    const path = join(rousePaths().config, "config.toml");
    const { text, issues } = createConfig(path, process.cwd(), options.dryRun === true);
    process.stdout.write(text);
    for (const issue of issues) process.stderr.write(`rouse: ${issue}\n`);
    if (issues.length > 0) code = 1;
  }
  const programs = name === undefined ? programsInUse() : [name];
  if (programs.length === 0) {
    process.stdout.write(
      foldText(
        `No hooks installed: no settings of ${anyOf.format(HOOK_PROGRAMS)} found. To install them anyway, name a program: \`rouse init ${HOOK_PROGRAMS[0]}\`\n`,
        process.stdout,
        0,
      ),
    );
    return code;
  }
  const command = ownCommand();
  const isDry = options.dryRun === true;
  const remove = options.remove === true;
  const http = options.http && !remove ? httpTarget(isDry) : undefined;
  for (const program of programs) {
    const asked = { command, http, remove };
    const found = planHooks(program, asked);
    const plugin = partOf(hooksOf(program).plugin);
    const wanted = http ? false : options.plugin;
    const { way, note } =
      plugin && !remove
        ? await hookWay({ program, plugin, settings: found.before, wanted, isNamed: name !== undefined })
        : HOOKS;
    const plan = plugin && way === "plugin" ? planHooks(program, { ...asked, plugin: pluginFolder(plugin) }) : found;
    if (plan.error !== null) {
      process.stderr.write(`rouse: ${plan.error}\n`);
      code = 1;
      continue;
    }
    const text = way === "nothing" ? "" : isDry ? dryText(plan, way) : carryOut(plan, way, command, remove);
    // The user may share the diff: hide the key.
    process.stdout.write(http ? text.replaceAll(http.key, "KEY") : text);
    if (note !== null) process.stderr.write(`${program}: ${note}\n`);
    if (http) process.stderr.write(httpNotes(plan, http));
  }
  return code;
}

const AGENTS = "agents-md";
const anyOf = new Intl.ListFormat("en-GB", { type: "disjunction" });
const WITH_PLUGIN: readonly string[] = HOOK_PROGRAMS.filter((program) => partOf(hooksOf(program).plugin));

interface InitOptions {
  dryRun?: true | undefined;
  remove?: true | undefined;
  plugin?: boolean | undefined;
  http?: true | undefined;
  otel?: true | undefined;
  service?: true | undefined;
}

/** Options that cannot be combined; null if there are none. */
function clashIn(name: string | undefined, { remove, plugin, http, otel, service }: InitOptions): string | null {
  const isAgents = name === AGENTS;
  const clashes: readonly (readonly [unknown, string])[] = [
    [
      plugin !== undefined && name !== undefined && !WITH_PLUGIN.includes(name),
      `--plugin and --no-plugin apply only to ${WITH_PLUGIN.join(", ")}`,
    ],
    [plugin && http, "--http cannot be combined with --plugin: the plugin holds no key"],
    [service && name !== undefined, "--service takes no program: it installs rouse's own daemon"],
    [service && otel, "--service and --otel cannot be combined"],
    [
      (service || otel) && (http || plugin !== undefined),
      "--service and --otel cannot be combined with --http and --plugin",
    ],
    [isAgents && (otel || http), "agents-md cannot be combined with --otel and --http"],
    [otel && name !== undefined, "--otel takes no program: it prints the settings of all programs"],
    [otel && remove, "--otel changes no file; remove the lines where you added them"],
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
      "--service needs systemd, which this system does not have; the daemon starts when it is first needed",
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
  // Write the plugin before the settings name it; delete it after they no longer do.
  const isWritten = plugin && isPlugin && pluginState(plan.before) !== "foreign" && writePlugin(plugin, command);
  const backup = applyHooks(plan);
  const isGone = plugin && !isPlugin && deletePlugin(plugin);
  if (plan.before === plan.after && !isWritten && !isGone)
    return `${program}: nothing to do${isPlugin ? "; its hooks come from the plugin" : ""}\n`;
  const kept = backup === null ? "" : `; backup: ${backup}`;
  const lines = [
    ...(plan.before === plan.after ? [] : [`${path} ${plan.isSpent ? "removed" : "changed"}${kept}`]),
    ...(isWritten ? [`plugin ${folderOf(plan)} written: hooks, tools (MCP) and /rouse`] : []),
    ...(isGone ? [`plugin ${folderOf(plan)} removed`] : []),
    ...(remove ? [] : ["restart running sessions to pick up the hooks"]),
  ];
  return lines.map((line) => `${program}: ${line}\n`).join("");
}

/** `rouse` if that name resolves to this installation, so that an update does not break the hooks; else its path. */
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
