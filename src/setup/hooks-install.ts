/** Installs rouse's hooks into the settings of programs, and removes exactly these hooks. */
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
import { makeFolder } from "../config/paths.js";
import type { HookOptions as EditOptions, Environment, HookCode, HookPart } from "../programs/hooks.js";
import { partOf } from "../programs/part.js";
import { PROGRAMS } from "../programs/registry.js";

export interface HookPlan {
  /** Id of the program. */
  program: string;
  path: string;
  before: string;
  after: string;
  /** Why the file cannot be edited. */
  error: string | null;
  /** The file already has hooks of rouse: it is not the original. */
  isOurs?: boolean;
  /** rouse created the file, and nothing else is in it: delete it. */
  isSpent?: boolean;
}

export interface HookOptions extends EditOptions {
  env?: Environment;
}

/** The programs that have hooks, by id. */
const WITH_HOOKS: ReadonlyMap<string, HookPart & HookCode> = new Map(
  await Promise.all(
    PROGRAMS.flatMap(({ profile, hooks }) => {
      const part = partOf(hooks);
      return part ? [loaded(profile.id, part)] : [];
    }),
  ),
);

async function loaded(program: string, part: HookPart): Promise<[string, HookPart & HookCode]> {
  return [program, { ...part, ...(await part.load()) }];
}

export const HOOK_PROGRAMS: readonly string[] = [...WITH_HOOKS.keys()];

export function hooksOf(program: string): HookPart & HookCode {
  const found = WITH_HOOKS.get(program);
  if (!found) throw new Error(`${program} has no hooks`);
  return found;
}

/** Programs for which this user has settings. */
export function programsInUse(env: Environment = process.env): string[] {
  return HOOK_PROGRAMS.filter((program) => existsSync(hooksOf(program).folder(env, homeOf(env))));
}

/** Computes the change without writing it. */
export function planHooks(program: string, options: HookOptions): HookPlan {
  const { folder, file, edit } = hooksOf(program);
  const env = options.env ?? process.env;
  const path = join(folder(env, homeOf(env)), file);
  let before = "";
  try {
    before = readText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      return { program, path, before, after: before, error: `${complaintOf(path, error)}; nothing was changed` };
    if (options.remove) return { program, path, before, after: before, error: null };
  }
  const edited = edit(before, options);
  const bare = edit(before, { ...options, remove: true });
  const isOurs = bare.ok && bare.text !== before;
  if (edited.ok && options.remove && isOurs && isSpent(path, edited.text))
    return { program, path, before, after: "", error: null, isOurs, isSpent: true };
  return edited.ok
    ? { program, path, before, after: edited.text, error: null, isOurs }
    : { program, path, before, after: before, error: `${path}: ${edited.error}; nothing was changed` };
}

/** Files that existed before rouse have a backup or are links. */
const isSpent = (path: string, left: string): boolean =>
  /^(?:\{\s*\})?$/.test(left.trim()) && !lstatSync(path).isSymbolicLink() && !existsSync(backupOf(path));

const backupOf = (path: string): string => `${path}.before-rouse`;

/** Refuses other encodings: writing them back would change bytes. */
function readText(path: string): string {
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new Error("not UTF-8 text");
}

/** The system names the path when open fails, but not when read fails. */
function complaintOf(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === "EISDIR" ? "is a folder" : message;
  return why.includes(path) ? why : `${path}: ${why}`;
}

/** Writes a plan. The first time, keeps a backup beside the file and returns its path. */
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

/** Settings are often a link into a dotfiles repository: keep the link. */
const targetOf = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/** Atomic; keeps the mode of an existing file. `mode` is for a new one. */
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

function homeOf(env: Environment): string {
  return env.HOME || homedir();
}
