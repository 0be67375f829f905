/** Checks of this machine: Node.js, SQLite, folders, disk, tmux, the configuration. */
import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, type Stats, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigIssue, issueText } from "../../../config/issue.js";
import { type LoadedConfig, loadConfig } from "../../../config/load.js";
import type { RousePaths } from "../../../config/paths.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { networkFileSystem } from "../../../store/file-system.js";
import { loadSqlite } from "../../../store/sqlite.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";
import { askVersion } from "./programs.js";

/** Below this the journal may fail within days; below the second, now. */
const DISK_WARN_BYTES = 2 * 1024 ** 3;
const DISK_FAIL_BYTES = 100 * 1024 ** 2;
const TMUX_OLDEST = [3, 2] as const;

export function nodeLine(version: string = process.versions.node): DoctorLine {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return okLine("Node.js", `version ${version}`);
  return failLine("Node.js", `version ${version} is too old`, "install Node.js 20.19 or newer");
}

export function sqliteLine(load: typeof loadSqlite = loadSqlite): DoctorLine {
  try {
    const sqlite = load();
    const database = sqlite.open(":memory:");
    const version = Object.values(database.prepare("select sqlite_version()").get() ?? {})[0];
    database.close();
    return okLine("sqlite", `SQLite ${String(version)} (${sqlite.engine})`);
  } catch (error) {
    return failLine(
      "sqlite",
      sanitize((error as Error).message),
      "npm install without --omit=optional, or use a newer Node.js",
    );
  }
}

/** Folders and sockets must be private: a user who can open them can type into agents. */
export function folderLines(paths: RousePaths, canWrite = isWritable): DoctorLine[] {
  const checked: [string, string, number][] = [
    ["config folder", paths.config, 0o022],
    ["state folder", paths.state, 0o077],
    ["runtime folder", paths.runtime, 0o077],
    ["daemon socket", paths.daemonSocket, 0o077],
    ["journal file", paths.journal, 0o077],
  ];
  return checked.flatMap(([name, path, forbidden]) => {
    const found = statsOf(path);
    if (name.endsWith("folder") && !canWrite(nearestFolder(path)))
      return [
        failLine(name, `${path} is not writable`, "change its owner or mode, or set ROUSE_HOME to a folder of yours"),
      ];
    if (!found) return [];
    const mode = (found.mode & 0o777).toString(8).padStart(3, "0");
    if (process.getuid && found.uid !== process.getuid())
      return [failLine(name, `${path} belongs to another user`, "remove it, or set ROUSE_HOME to a folder of yours")];
    if ((found.mode & forbidden) !== 0)
      return [failLine(name, `${path} has mode ${mode}: accessible to other users`, `chmod go-rwx ${path}`)];
    return [okLine(name, `${path} (${mode})`)];
  });
}

export function diskLines(paths: RousePaths): DoctorLine[] {
  const folder = nearestFolder(paths.state);
  const network = networkFileSystem(folder);
  const lines = network
    ? [
        warnLine(
          "file system",
          `${folder} is on a network file system (${network}), where SQLite can lose data`,
          "set XDG_STATE_HOME or ROUSE_HOME to a folder on a local disk",
        ),
      ]
    : [];
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const message = `${formatMegabytes(free)} free for the journal`;
  const fix = "free some space, or lower journal.max_megabytes";
  if (free < DISK_FAIL_BYTES) return [...lines, failLine("disk", message, fix)];
  return [...lines, free < DISK_WARN_BYTES ? warnLine("disk", message, fix) : okLine("disk", message)];
}

export async function tmuxLine(env: NodeJS.ProcessEnv = process.env): Promise<DoctorLine> {
  const said = await askVersion("tmux", ["-V"], env);
  if (said === null)
    return warnLine("tmux", "tmux is not installed", "install tmux 3.2 or newer to watch agents in its panes");
  const [, major, minor] = /(\d{1,4})\.(\d{1,4})/.exec(said) ?? [];
  const isOld = Number(major) < TMUX_OLDEST[0] || (Number(major) === TMUX_OLDEST[0] && Number(minor) < TMUX_OLDEST[1]);
  if (isOld) return warnLine("tmux", `${said} is too old`, `install tmux ${TMUX_OLDEST.join(".")} or newer`);
  return okLine("tmux", said);
}

/** `alerts`: errors of channels and alerts that no daemon has reported. */
export function configLines(
  load: () => LoadedConfig = loadConfig,
  alerts: (loaded: LoadedConfig) => ConfigIssue[] = () => [],
): DoctorLine[] {
  const loaded = load();
  const issues = [...loaded.issues, ...alerts(loaded)];
  if (issues.length === 0) return [okLine("configuration", "no problems")];
  return issues.map((issue) => {
    const message = sanitize(issueText(issue));
    return issue.level === "error"
      ? failLine("configuration", message, "fix it; `rouse config show --origin` shows where each value comes from")
      : warnLine("configuration", message, "`rouse config show --origin` shows where each value comes from");
  });
}

/** Policies of the user that have an error and are not used. */
export const policyLines = (issues: readonly ConfigIssue[]): DoctorLine[] =>
  issues.map((issue) =>
    failLine("policy", sanitize(issueText(issue)), "fix it; `rouse policy show` lists what is used"),
  );

/** The daemon reads the file and creates its socket when it starts. */
export function staleLines({ config, daemonSocket }: RousePaths): DoctorLine[] {
  const [file, socket] = [statsOf(join(config, "config.toml")), statsOf(daemonSocket)];
  if (!file || !socket || file.mtimeMs <= socket.mtimeMs) return [];
  const message = "changed after the daemon started: applies only to agents that start from now on";
  return [warnLine("configuration", message, "run `rouse down` and `rouse up`; agents keep running")];
}

export const formatMegabytes = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${Math.round(bytes / 1024 ** 2)} MB`;

/** Null also if the path leads through a file or an inaccessible folder. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    if (lstatSync(path).isFile()) return false;
    // Some folders, such as those in /proc, report write access but cannot create files.
    rmdirSync(mkdtempSync(join(path, ".rouse-")));
    return true;
  } catch (error) {
    // A full disk is reported by its own check.
    return ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

function nearestFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (statsOf(folder) || folder === dirname(folder)) return folder;
  }
}
