/** Checks of the agents' programs: installed version, profile and hooks. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { issueText } from "../../../config/issue.js";
import { loadOwnProfiles } from "../../../config/own-profiles.js";
import { rousePaths } from "../../../config/paths.js";
import type { OwnProfiles } from "../../../config/profile-folder.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { versionFit } from "../../../core/version-fit.js";
import { partOf } from "../../../programs/part.js";
import { PROGRAMS, profileFor } from "../../../programs/registry.js";
import type { ProfileOverride } from "../../../programs/shared/profile.js";
import { HOOK_PROGRAMS, hooksOf, planHooks, programsInUse } from "../../../setup/hooks-install.js";
import { findProgram } from "../../../terminal/find-program.js";
import { httpHookLine } from "./http.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";

const COMMANDS: readonly { kind: string; command: string }[] = PROGRAMS.flatMap(({ profile, process }) => {
  const command = partOf(process)?.name;
  return command === undefined ? [] : [{ kind: profile.id, command }];
});

const VERSION_MS = 10_000;

export async function programLines(env: NodeJS.ProcessEnv = process.env): Promise<DoctorLine[]> {
  const { profiles } = loadOwnProfiles(rousePaths(env).config);
  const lines = await Promise.all(COMMANDS.map(({ kind, command }) => programLine(kind, command, env, profiles)));
  const found = [...lines.flatMap((line) => line ?? []), ...ownLines(profiles, env)];
  return found.length > 0
    ? found
    : [warnLine("programs", "no supported agent program found on the PATH", "install one, or check your PATH")];
}

/** Programs of the user's own profiles. They are not run with --version: unknown programs may misread it. */
function ownLines(profiles: readonly ProfileOverride[], env: NodeJS.ProcessEnv): DoctorLine[] {
  const known = new Set<string>(COMMANDS.map(({ command }) => command));
  return profiles.flatMap(({ id, programs = [] }) =>
    programs
      .filter((command) => !known.has(command) && findProgram(command, env, process.cwd()) === "found")
      .map((command) => okLine(sanitize(command, 40), sanitize(`found on the PATH, uses your profile ${id}`))),
  );
}

async function programLine(
  kind: string,
  command: string,
  env: NodeJS.ProcessEnv,
  own: readonly ProfileOverride[],
): Promise<DoctorLine | null> {
  if (findProgram(command, env, process.cwd()) !== "found") return null;
  const said = await askVersion(command, ["--version"], env);
  const version = /\d{1,6}(?:\.\d{1,6}){1,3}/.exec(said ?? "")?.[0];
  if (said === null || version === undefined)
    return warnLine(command, "cannot read its version", `run \`${command} --version\` yourself`);
  const { versions } = profileFor(kind, own);
  const fit = versionFit(versions, version);
  if (fit === 1)
    return warnLine(
      command,
      `${version} is newer than its profile (${versions?.to}): its screen may be misread`,
      "update rouse, or add a profile of your own (docs/add-a-program.md)",
    );
  if (fit === -1)
    return warnLine(command, `${version} is older than its profile (${versions?.from})`, `update ${command}`);
  return okLine(command, `${version}, known`);
}

export function profileLines({ profiles, paths, issues }: OwnProfiles = loadOwnProfiles()): DoctorLine[] {
  return [
    ...profiles.map(({ id, programs }, at) => {
      const names = programs ? `, for ${programs.join(", ")}` : "";
      return okLine("profile", sanitize(`${id}${names}: ${paths[at]}`));
    }),
    ...issues.map((issue) => failLine("profile", sanitize(issueText(issue)), PROFILE_FIX)),
  ];
}

const PROFILE_FIX = "fix it (docs/add-a-program.md); it applies to agents that start afterwards";

/** The first line of a program's output; null if there is none in time. */
export function askVersion(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    // ROUSE_INTERNAL keeps the daemon from adopting this process as an agent.
    const options = { env: { ...env, ROUSE_INTERNAL: "1" }, timeout: VERSION_MS, maxBuffer: 64 * 1024 };
    execFile(command, args, { ...options, encoding: "utf8", killSignal: "SIGKILL" }, (error, stdout) => {
      const line = sanitize((error ? "" : stdout).trim().split("\n")[0] ?? "", 80);
      resolve(line === "" ? null : line);
    });
  });
}

export function hookLines(isUp: boolean, env: NodeJS.ProcessEnv = process.env): DoctorLine[] {
  const inUse = programsInUse(env);
  return HOOK_PROGRAMS.filter((program) => inUse.includes(program)).map((program) => hookLine(program, env, isUp));
}

/** Hooks are installed if removing them would change the file. */
function hookLine(program: string, env: NodeJS.ProcessEnv, isUp: boolean): DoctorLine {
  const name = `hooks of ${program}`;
  const plan = planHooks(program, { command: ["rouse"], remove: true, env });
  const { error: issue, before, after, path } = plan;
  if (issue !== null) return warnLine(name, sanitize(issue), `fix ${path}, then run \`rouse init ${program}\``);
  const plugin = pluginLine(program, before, env);
  if (plugin !== null) return plugin;
  if (before !== after) return httpHookLine(plan, env, isUp) ?? okLine(name, `installed in ${path}`);
  return warnLine(
    name,
    "not installed: prompts and tools are detected later, from the screen",
    `run \`rouse init ${program}\``,
  );
}

/** Null if the plugin is not used. */
function pluginLine(program: string, settings: string, env: NodeJS.ProcessEnv): DoctorLine | null {
  const name = `hooks of ${program}`;
  const { plugin: part, pluginState } = hooksOf(program);
  const plugin = partOf(part);
  if (!plugin) return null;
  const state = pluginState(settings);
  const folder = join(rousePaths(env).state, plugin.folder);
  if (state === "foreign") return okLine(name, "from the plugin, which was not installed by `rouse init`");
  if (state === "on")
    return existsSync(folder)
      ? okLine(name, `from the plugin in ${folder}`)
      : warnLine(name, `the settings name a plugin that does not exist: ${folder}`, `run \`rouse init ${program}\``);
  return state === "off" && !settings.includes(` hook ${program}`)
    ? warnLine(name, "the plugin is installed but disabled", `run \`rouse init ${program}\`, or /plugin in the program`)
    : null;
}
