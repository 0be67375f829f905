/** What `run` and `spawn` have in common: the agent's name, kind, tags, task and policy, and its command. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { cannotWrite, type RousePaths, rousePaths } from "../config/paths.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { tooMuch } from "../core/agent-limits.js";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { findProgram } from "../terminal/find-program.js";
import type { SpecWithoutName } from "../terminal/start-host.js";
import { collectTag, parseName } from "./arguments.js";

export interface AgentOptions {
  name?: string | undefined;
  tag?: string[] | undefined;
  task?: string | undefined;
  kind?: string | undefined;
  policy?: string | undefined;
}

export function agentCommand(program: Command, name: "run" | "spawn") {
  // Options behind the command are the command's own.
  program.enablePositionalOptions();
  return program
    .command(name)
    .passThroughOptions()
    .argument("<command...>", "the program and its arguments, best behind --")
    .option("--name <name>", "what to call the agent (default: the program's name)", parseName)
    .option("--tag <tag>", "a tag, may be given several times", collectTag)
    .option("--task <id>", "the task that it works on")
    .option(
      "--kind <kind>",
      "which program it is, where its name does not say: claude-code, codex, gemini, opencode, generic, or the id of a profile of your own",
    )
    .option("--policy <name>", "the policy that holds for it");
}

/** What knows kinds and policies is loaded only when one is given: it takes as long as the rest of the start. */
export async function checkOptions(options: AgentOptions, refuse: (text: string) => never): Promise<void> {
  const { kind, policy, tag = [] } = options;
  const unkept = tooMuch({ tags: tag, task: taskOf(options) });
  if (unkept !== null) refuse(`error: ${unkept}`);
  const own = await profilesReported();
  if (kind !== undefined) {
    const { complaintOfKind } = await import("./options.js");
    const complaint = complaintOfKind(kind, own);
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

/** Told before the agent has the terminal: whoever starts it wants to know that it is not watched as described. */
async function profilesReported(): Promise<readonly ProfileOverride[]> {
  const { config } = rousePaths();
  const { profiles, issues } = await ownProfiles(config);
  // Reading the settings takes as long as the rest of the start, so only where there are any.
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

/** It is watched all the same, and found by its name once there is room. */
export function reportUnwritten(paths: RousePaths): void {
  const why = cannotWrite(paths);
  if (why !== null)
    process.stderr.write(
      `rouse: nothing can be written in ${paths.state}, so commands do not find this agent until it can: ${sanitizeLine(why)}\n`,
    );
}

const taskOf = ({ task }: AgentOptions): string | null => (task === undefined ? null : redact(task));

/** Exit code and reason of a shell for a command that cannot be started; null when it can. */
export function cannotStart(command: readonly string[]): { code: number; text: string } | null {
  const [file = ""] = command;
  const found = findProgram(file, process.env, process.cwd());
  if (found === "missing") return { code: 127, text: `${file}: command not found` };
  if (found === "forbidden") return { code: 126, text: `${file}: cannot be run` };
  return null;
}
