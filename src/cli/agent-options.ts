/** The options that `run` and `spawn` share: name, kind, tags, task, policy and command of an agent. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { checkWritable, type RousePaths, rousePaths } from "../config/paths.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { checkAgentLimits } from "../core/agent-limits.js";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { findProgram } from "../terminal/find-program.js";
import { nameOfCommand } from "../terminal/names.js";
import type { SpecWithoutName } from "../terminal/start-host.js";
import { collectTag, parseName } from "./arguments.js";

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface AgentOptions {
  name?: string | undefined;
  tag?: string[] | undefined;
  task?: string | undefined;
  kind?: string | undefined;
  policy?: string | undefined;
  preset?: string | undefined;
}

export function agentCommand(program: Command, name: "run" | "spawn") {
  // Options after the command belong to the command.
  program.enablePositionalOptions();
  return program
    .command(name)
    .passThroughOptions()
    .argument("[command...]", "the program and its arguments, preferably after --; with --preset only arguments")
    .option("--name <name>", "name of the agent (default: name of the program)", parseName)
    .option("--tag <tag>", "a tag; repeatable", collectTag)
    .option(
      "--task <id>",
      name === "spawn" ? "number of the task to claim, or another label" : "id of its task, as a label",
    )
    .option(
      "--kind <kind>",
      "kind of program, if rouse cannot tell from its name: claude-code, codex, gemini, opencode, goose, copilot, generic, or the id of your own profile",
    )
    .option("--policy <name>", "recovery policy of the agent")
    .option("--preset <name>", "run the program of a preset ([presets.NAME] in your configuration)");
}

/** The given command, or that of the preset with the given arguments. */
export async function commandFor(
  given: string[],
  { preset }: AgentOptions,
  refuse: (text: string) => never,
): Promise<string[]> {
  if (preset === undefined)
    return given.length > 0
      ? given
      : refuse("error: name a program, such as `rouse run -- claude`, or use --preset NAME");
  const { presetCommand } = await import("../config/presets.js");
  const found = presetCommand(preset, given);
  return "problem" in found ? refuse(`error: ${sanitizeLine(found.problem)}`) : found.command;
}

/** Kinds and policies are loaded only if one is given: loading them takes as long as the rest of the start. */
export async function checkOptions(options: AgentOptions, refuse: (text: string) => never): Promise<void> {
  const { kind, policy, tag = [] } = options;
  const objection = checkAgentLimits({ tags: tag, task: taskOf(options) });
  if (objection !== null) refuse(`error: ${objection}`);
  const own = await profilesReported();
  if (kind !== undefined) {
    const { checkKind } = await import("./options.js");
    const complaint = checkKind(kind, own);
    if (complaint) refuse(complaint);
  }
  if (policy === undefined) return;
  const { policyNamed } = await import("./policy-option.js");
  try {
    policyNamed(policy);
  } catch (error) {
    refuse(`error: ${(error as Error).message}`);
  }
}

/** Reported before the agent owns the terminal, so that the user sees that a profile is not used. */
async function profilesReported(): Promise<readonly ProfileOverride[]> {
  const { config } = rousePaths();
  const { profiles, issues } = await ownProfiles(config);
  // Reading the settings takes as long as the rest of the start, so only if there are any.
  if (issues.length > 0 || existsSync(join(config, "config.toml"))) (await import("./settings.js")).loadSettings();
  return profiles;
}

export function specOf(command: string[], options: AgentOptions, origin: "run" | "spawn"): SpecWithoutName {
  return {
    wanted: options.name ?? null,
    kind: options.kind ?? null,
    tags: options.tag ?? [],
    task: taskOf(options),
    policy: options.policy ?? null,
    command,
    workspace: process.cwd(),
    origin,
  };
}

/** The agent is watched anyway, and commands find it once its record can be written. */
export function reportUnwritten(paths: RousePaths): void {
  const why = checkWritable(paths);
  if (why !== null)
    process.stderr.write(
      `rouse: cannot write to ${paths.state}; commands do not find this agent until that is fixed: ${sanitizeLine(why)}\n`,
    );
}

const taskOf = ({ task }: AgentOptions): string | null => (task === undefined ? null : redact(task));

/** Name of the agents that the daemon starts with this command; it adds the number of their task. */
export const agentNameOf = (command: readonly string[]): string => nameOfCommand(command).replaceAll(".", "-");

/** The daemon has an environment of its own: an agent gets that of the user's shell. */
export const environmentForDaemon = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && ENVIRONMENT_NAME.test(name) && !name.startsWith("ROUSE_") ? [[name, value]] : [],
    ),
  );

/** Exit code and message, as a shell gives them, for a command that cannot be started; else null. */
export function checkCommand(command: readonly string[]): { code: number; text: string } | null {
  const [file = ""] = command;
  const found = findProgram(file, process.env, process.cwd());
  if (found === "missing") return { code: 127, text: `${file}: command not found` };
  if (found === "forbidden") return { code: 126, text: `${file}: cannot execute` };
  return null;
}
