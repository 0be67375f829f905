/**
 * A sandbox of bubblewrap around a model program that cannot be started without tools: it sees the system's programs, its own
 * install folder, its login and an empty private folder. No home, no other process, no socket of the user. The network stays.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";

/** Where users keep files, and programs their sockets. */
const HIDDEN = ["/home", "/root", "/tmp", "/var/tmp", "/run", "/mnt", "/media", "/srv"];
/** A resolver's address, and the certificates of some systems. */
const NEEDED = ["/run/systemd/resolve", "/run/NetworkManager/resolv.conf"];

export interface SandboxOptions {
  argv: readonly [string, ...string[]];
  /** Files and folders with its login, absolute or in the home folder. */
  login: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

const READ_ONLY = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
const OWN_NAMESPACES = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"];
const inFolder = (path: string): string[] => ["--bind", path, path, "--chdir", path];

/** The call of the program in its sandbox, or why there is none. */
export function sandboxed({ argv: [name, ...args], login, cwd, env }: SandboxOptions): [string, ...string[]] | string {
  const bwrap = findProgram("bwrap", env);
  if (bwrap === null)
    return `a sandbox for ${name} needs bubblewrap (the program bwrap): install it, or set diagnosis.sandbox = false, which lets ${name} read your files`;
  const file = findProgram(name, env);
  if (file === null) return `${name}: program not found`;
  const { HOME: home = "/" } = env;
  const hidden = [...new Set([...HIDDEN, home])].filter((path) => path !== "/" && existsSync(path));
  const shown = [...installOf(file), ...installOf(process.execPath), ...pathOf(env.PATH), ...args.filter(isScript)];
  const isHidden = (path: string): boolean =>
    hidden.some((one) => path.startsWith(`${one}${sep}`)) && !hidden.includes(path);
  const own = login.map((path) => (isAbsolute(path) ? path : join(home, path)));
  return [
    bwrap,
    ...READ_ONLY,
    ...hidden.flatMap((path) => ["--tmpfs", path]),
    ...NEEDED.flatMap((path) => ["--ro-bind-try", path, path]),
    ...[...new Set(shown)].filter(isHidden).flatMap((path) => ["--ro-bind-try", path, path]),
    ...own.flatMap((path) => ["--bind-try", path, path]),
    ...inFolder(cwd),
    ...OWN_NAMESPACES,
    "--",
    file,
    ...args,
  ];
}

/** What bubblewrap itself says when it cannot build the sandbox; null if the program ran. */
export function sandboxProblem(stderr: string): string | null {
  const line = stderr.split("\n").find((one) => one.startsWith("bwrap: "));
  return line === undefined
    ? null
    : `the sandbox cannot be built (${line}); allow user namespaces, or set diagnosis.sandbox = false`;
}

function findProgram(name: string, { PATH }: Readonly<Record<string, string>>): string | null {
  if (name.includes(sep)) return isProgram(name) ? name : null;
  return (
    pathOf(PATH)
      .map((folder) => join(folder, name))
      .find(isProgram) ?? null
  );
}

const pathOf = (path = ""): string[] => path.split(delimiter).filter(isAbsolute);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A program, and the packages beside it. Not its folder: that may be the home. */
function installOf(file: string): string[] {
  const real = realpathSync(file);
  const parts = real.split(sep);
  const packages = parts.indexOf("node_modules");
  return [file, real, ...(packages < 0 ? [] : [parts.slice(0, packages + 1).join(sep)])];
}

function isScript(argument: string): boolean {
  try {
    return isAbsolute(argument) && statSync(argument).isFile();
  } catch {
    return false;
  }
}
