/** Puts rouse's hooks into the settings of the programs that have any, and takes exactly them out again. */
import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "../../config/paths.js";
import { addPlugin, removePlugin } from "./claude-plugin.js";
import { addCodexNotify, removeCodexNotify } from "./codex-config.js";
import { httpEntry, isOurUrl } from "./http-hook.js";
import { addJsonHooks, type Edited, type JsonHooks, removeJsonHooks } from "./json-settings.js";

export type HookProgram = "claude-code" | "codex" | "gemini";

export interface HookPlan {
  program: HookProgram;
  path: string;
  before: string;
  after: string;
  /** Why the file cannot be edited: it is left as it is. */
  problem: string | null;
  /** rouse's hooks are in it already, so that it is no longer as it was before rouse. */
  isOurs?: boolean;
  /** rouse began the file, and nothing is left in it: it goes. */
  isSpent?: boolean;
}

export interface HookOptions {
  /** How rouse is started, as words: `["rouse"]`, or the path of its program. */
  command: readonly string[];
  /** The folder of the plugin that has Claude Code's hooks, instead of the settings. */
  plugin?: string | undefined;
  /** Where the program posts, if it can, instead of starting `rouse hook`. */
  http?: { port: number; key: string } | undefined;
  remove?: boolean;
  env?: Readonly<Record<string, string | undefined>>;
}

interface ProgramSettings {
  folder: (env: NonNullable<HookOptions["env"]>, home: string) => string;
  file: string;
  edit: (text: string, options: HookOptions) => Edited;
}

const tool = (name: string) => ({ name, byTool: true });
const plain = (name: string) => ({ name, byTool: false });

/**
 * Edges only. Text as it streams (`MessageDisplay`) would start a process for every few words; the others of Claude
 * Code's events tell nothing that one of these does not.
 */
export const CLAUDE_EVENTS: JsonHooks["events"] = [
  ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"].map(tool),
  ...[
    "SessionStart",
    "UserPromptSubmit",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
  ].map(plain),
];
const GEMINI_EVENTS = [
  ...["BeforeTool", "AfterTool"].map(tool),
  ...["SessionStart", "BeforeAgent", "AfterAgent", "Notification", "PreCompress", "SessionEnd"].map(plain),
];

const PROGRAMS: Readonly<Record<HookProgram, ProgramSettings>> = {
  "claude-code": {
    folder: (env, home) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
    file: "settings.json",
    // Seconds. The hook ends by itself after two.
    edit: editClaude,
  },
  codex: {
    folder: (env, home) => env.CODEX_HOME || join(home, ".codex"),
    file: "config.toml",
    edit: (text, { command, remove }) =>
      remove ? removeCodexNotify(text, isOurNotify) : addCodexNotify(text, [...command, "hook", "codex"], isOurNotify),
  },
  gemini: {
    folder: (_, home) => join(home, ".gemini"),
    file: "settings.json",
    // Milliseconds.
    edit: (text, options) => editJson(text, options, "gemini", GEMINI_EVENTS, { name: "rouse", timeout: 5000 }),
  },
};

export const HOOK_PROGRAMS = Object.keys(PROGRAMS) as HookProgram[];

/** Programs that this user has settings of. */
export function programsInUse(env: NonNullable<HookOptions["env"]> = process.env): HookProgram[] {
  return HOOK_PROGRAMS.filter((program) => existsSync(PROGRAMS[program].folder(env, homeOf(env))));
}

/** What would change. Nothing is written. */
export function planHooks(program: HookProgram, options: HookOptions): HookPlan {
  const { folder, file, edit } = PROGRAMS[program];
  const env = options.env ?? process.env;
  const path = join(folder(env, homeOf(env)), file);
  let before = "";
  try {
    before = readText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      return { program, path, before, after: before, problem: `${complaintOf(path, error)}; nothing was changed` };
    if (options.remove) return { program, path, before, after: before, problem: null };
  }
  const edited = edit(before, options);
  const bare = edit(before, { ...options, remove: true });
  const isOurs = bare.ok && bare.text !== before;
  if (edited.ok && options.remove && isOurs && isSpent(path, edited.text))
    return { program, path, before, after: "", problem: null, isOurs, isSpent: true };
  return edited.ok
    ? { program, path, before, after: edited.text, problem: null, isOurs }
    : { program, path, before, after: before, problem: `${path}: ${edited.problem}; nothing was changed` };
}

/** Of every file that was there before rouse, a copy was kept; one that is a link was there too. */
const isSpent = (path: string, left: string): boolean =>
  /^(?:\{\s*\})?$/.test(left.trim()) && !lstatSync(path).isSymbolicLink() && !existsSync(backupOf(path));

const backupOf = (path: string): string => `${path}.before-rouse`;

/** As it would be written again: what is not UTF-8 would come back as other bytes. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new Error("it is no UTF-8 text");
}

/** The system names the path where it could not open it, and not where it could not read. */
function complaintOf(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === "EISDIR" ? "it is a folder" : message;
  return why.includes(path) ? why : `${path}: ${why}`;
}

/** Writes a plan. The first time, the file as it was is kept beside it. Returns where, if it was. */
export function applyHooks({ path, before, after, isOurs = false, isSpent = false }: HookPlan): string | null {
  if (before === after) return null;
  if (isSpent) {
    rmSync(path);
    return null;
  }
  makeFolder(dirname(path), 0o777);
  const target = targetOf(path);
  const backup = backupOf(target);
  const keeps = !isOurs && existsSync(target) && !existsSync(backup);
  if (keeps) copyFileSync(target, backup, constants.COPYFILE_EXCL);
  replaceFile(path, after, 0o600);
  return keeps ? backup : null;
}

/** Settings are often a link into somebody's repository of settings: the link stays. */
const targetOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Whole or not at all, with the mode that it had; `mode` is that of a new one. */
export function replaceFile(path: string, text: string | Uint8Array, mode: number): void {
  const target = targetOf(path);
  const fresh = `${target}.rouse-${process.pid}`;
  const handle = openSync(fresh, "wx", existsSync(target) ? statSync(target).mode & 0o777 : mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(fresh, target);
}

/** Hooks in the settings, or those of the plugin: never both. */
function editClaude(text: string, options: HookOptions): Edited {
  const { plugin, remove = false } = options;
  const hooks = editJson(text, { ...options, remove: remove || plugin !== undefined }, "claude-code", CLAUDE_EVENTS, {
    timeout: 5,
  });
  if (!hooks.ok) return hooks;
  return plugin === undefined || remove ? removePlugin(hooks.text) : addPlugin(hooks.text, plugin);
}

function editJson(
  text: string,
  { command, http, remove }: HookOptions,
  program: HookProgram,
  events: JsonHooks["events"],
  more: Record<string, unknown>,
): Edited {
  const isOurs: JsonHooks["isOurs"] = ({ command: line, url }) =>
    (typeof line === "string" && isOurCommand(line, program)) || (typeof url === "string" && isOurUrl(url, program));
  if (remove) return removeJsonHooks(text, isOurs);
  const line = `${commandLine(command)} hook ${program}`;
  const runs = { type: "command", command: line, ...more };
  const entry = (event: string) => (http && httpEntry(program, event, http)) || runs;
  return addJsonHooks(text, { entry, events, isOurs });
}

/** These programs hand the command to a shell. */
export const commandLine = (words: readonly string[]): string => words.map(quote).join(" ");

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isOurCommand(line: string, program: HookProgram): boolean {
  const end = ` hook ${program}`;
  return line.endsWith(end) && /(?:^|[\s/'"])rouse(?:\.js)?['"]?$/.test(line.slice(0, -end.length).slice(-4096));
}

function isOurNotify(words: readonly string[]): boolean {
  const at = words.indexOf("hook");
  return at > 0 && words[at + 1] === "codex" && /(?:^|\/)rouse(?:\.js)?$/.test((words[at - 1] ?? "").slice(-4096));
}

function homeOf(env: NonNullable<HookOptions["env"]>): string {
  return env.HOME || homedir();
}
