/**
 * The daemon as a systemd user service. The unit carries a digest of its text: a unit that was edited, or that rouse did
 * not write, is never overwritten.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder, rousePaths } from "../config/paths.js";

type Env = Readonly<Record<string, string | undefined>>;

export const UNIT = "rouse.service";

/**
 * Variables that the daemon must share with this shell: paths of rouse's folders, programs, transcripts and tmux sockets.
 * Unset ones are unset in the unit too, or daemon and clients would use different sockets.
 */
const KEPT = [
  "ROUSE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "TMUX_TMPDIR",
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "PATH",
] as const;

export interface ServicePlan {
  path: string;
  before: string;
  after: string;
  /** Why the file is not changed. */
  error: string | null;
}

export function unitPath(env: Env = process.env): string {
  const config = env.XDG_CONFIG_HOME;
  const folder = config && isAbsolute(config) ? config : join(env.HOME || homedir(), ".config");
  return join(folder, "systemd", "user", UNIT);
}

/**
 * Hardening is limited: rouse reads /proc of other processes, tmux sockets in /tmp, and transcripts and workspaces
 * anywhere in the home folder; V8 needs memory that is writable and executable.
 */
export function unitText(env: Env = process.env): string {
  const bin = fileURLToPath(new URL("../../bin/rouse", import.meta.url));
  const kept = KEPT.flatMap((name) => {
    const value = env[name];
    return value && !/[\n\r\0]/.test(value)
      ? [`Environment=${word(`${name}=${value}`)}`]
      : [`UnsetEnvironment=${name}`];
  });
  const body = [
    "[Unit]",
    "Description=rouse, a watchdog for AI coding agents",
    "StartLimitIntervalSec=300",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=notify",
    "# Heartbeats come from systemd-notify, a child of the daemon.",
    "NotifyAccess=all",
    `ExecStart=${[process.execPath, bin].map(commandWord).join(" ")} up --foreground`,
    "# systemd restarts a daemon that sends no heartbeat for this long.",
    "WatchdogSec=60",
    "# Reading a long journal takes time.",
    "TimeoutStartSec=300",
    "Restart=on-failure",
    "RestartSec=2",
    ...kept,
    "UMask=0077",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "SystemCallArchitectures=native",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
  const head = `# Written by "rouse init --service" for ${rousePaths(env).daemonSocket}\n# Change it with "systemctl --user edit rouse": an edited file is not updated.\n`;
  return `${head}# ${digest(head + body)}\n${body}`;
}

export function planService(remove: boolean, env: Env = process.env): ServicePlan {
  const path = unitPath(env);
  const before = read(path);
  const after = remove ? "" : unitText(env);
  const isForeign = before !== "" && before !== after && !isOwn(before);
  const issue = isForeign
    ? `${path} was edited or not written by rouse (unchanged); move it away (or keep your changes with "systemctl --user edit rouse"), then run this again`
    : null;
  return { path, before, after, error: issue };
}

export function applyService({ path, after }: ServicePlan): void {
  if (after === "") {
    rmSync(path, { force: true });
    return;
  }
  makeFolder(dirname(path), 0o777);
  writeFileSync(path, after, { mode: 0o644 });
}

/** Starts the daemon through systemd if the unit is installed for these folders. False if not, or if that fails. */
export async function startByService(env: Env = process.env): Promise<boolean> {
  if (process.platform !== "linux" || !read(unitPath(env)).includes(` for ${rousePaths(env).daemonSocket}\n`))
    return false;
  return new Promise((resolve) => {
    execFile("systemctl", ["--user", "--no-block", "start", UNIT], { timeout: 5000 }, (error) =>
      resolve(error === null),
    );
  });
}

export function installedText(path: string): string {
  return [
    `${path} written. To start the daemon at login and restart it after a crash or hang:`,
    "  rouse down",
    "  systemctl --user daemon-reload",
    `  systemctl --user enable --now ${UNIT}`,
    "It stops when you log out. To keep it running (servers, agents overnight):",
    "  loginctl enable-linger",
    "",
  ].join("\n");
}

export function removedText(path: string): string {
  return [
    `${path} removed. If it was enabled:`,
    `  systemctl --user disable --now ${UNIT}`,
    "  systemctl --user daemon-reload",
    "",
  ].join("\n");
}

const digest = (text: string): string => `sha256 ${createHash("sha256").update(text).digest("hex")}`;

/** The digest in the file matches the rest of the file. */
function isOwn(text: string): boolean {
  const line = /^# (sha256 [0-9a-f]{64})\n/m.exec(text);
  return line !== null && digest(text.replace(line[0], "")) === line[1];
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Quoted for systemd; `%` starts a specifier. */
const word = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;
/** Quoted for a command line, where `$` starts a variable too. */
const commandWord = (text: string): string => word(text).replaceAll("$", "$$$$");
