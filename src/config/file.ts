/**
 * One configuration file as a flat list of named values, each with its position. Old names in files of an older layout are
 * translated and reported.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import type { ConfigIssue } from "./issue.js";
import { KEY_BY_NAME } from "./keys.js";
import { type Position, positionsIn } from "./positions.js";

export const CONFIG_VERSION = 1;

export interface ConfigEntry {
  /** Full name, such as `watchdog.poll_interval_secs`. */
  name: string;
  value: unknown;
  position?: Position | undefined;
}

export interface ConfigFile {
  entries: ConfigEntry[];
  issues: ConfigIssue[];
  /** The layout version of the file. */
  version: number;
}

const FILE_BYTES_MAX = 256 * 1024;
const ENTRIES_MAX = 1_000;
const DEPTH_MAX = 4;

/** Null when there is no such file. */
export function readConfigFile(path: string): ConfigFile | null {
  const read = readTrustedFile(path);
  if (read === null) return null;
  return typeof read === "string" ? parseConfig(path, read) : { entries: [], issues: [read], version: CONFIG_VERSION };
}

export function parseConfig(path: string, text: string): ConfigFile {
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    return { entries: [], issues: [syntaxIssue(path, error as Error)], version: CONFIG_VERSION };
  }
  const positionOf = positionsIn(text);
  const { version: given, ...rest } = table;
  const version = typeof given === "number" ? given : 0;
  const issues: ConfigIssue[] = [];
  if (given !== undefined && typeof given !== "number")
    issues.push({
      level: "error",
      where: path,
      position: positionOf(["version"]),
      text: `version must be a whole number, such as ${CONFIG_VERSION}; assuming the oldest layout`,
    });
  if (version > CONFIG_VERSION)
    issues.push({
      level: "error",
      where: path,
      position: positionOf(["version"]),
      text: `written for a newer rouse (version ${version}, this one knows ${CONFIG_VERSION}); unknown keys are ignored`,
    });
  const entries = [...leavesOf(rest, [])].map(({ path: parts, value }): ConfigEntry => {
    const written = parts.join(".");
    const name = version < CONFIG_VERSION ? modernName(written) : written;
    const position = positionOf(parts);
    if (name !== written)
      issues.push({
        level: "notice",
        where: path,
        position,
        text: `${written} is now ${name}; \`rouse config migrate\` rewrites the file`,
      });
    return { name, value, position };
  });
  return { entries, issues, version };
}

/** Only the first line of the parser's message: the others quote the file, which a link may have led anywhere. */
function syntaxIssue(path: string, error: Error): ConfigIssue {
  const position = error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
  return { level: "error", where: path, position, text: `${error.message.split("\n", 1)[0]}; the file is not used` };
}

/** Layout 0 is that of the proposals that preceded rouse: `agents.health` as in .botbox.json, and keys without section. */
function modernName(given: string): string {
  if (given.startsWith("agents.health.")) return given.slice("agents.".length);
  if (given.includes(".") || KEY_BY_NAME.has(given)) return given;
  for (const name of KEY_BY_NAME.keys()) if (name.endsWith(`.${given}`)) return name;
  return given;
}

interface Leaf {
  path: string[];
  value: unknown;
}

function* leavesOf(table: Record<string, unknown>, above: readonly string[]): Generator<Leaf> {
  let count = 0;
  for (const [name, value] of Object.entries(table)) {
    if (count++ > ENTRIES_MAX) return;
    const path = [...above, name];
    if (isTable(value) && path.length < DEPTH_MAX) yield* leavesOf(value, path);
    else yield { path, value };
  }
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/**
 * A configuration must be a regular file of this user or of root: a file of another user is not trusted, and a pipe would
 * never end. Links are followed unless forbidden, since many users keep their settings in a separate folder.
 */
export function readTrustedFile(path: string, { links = true } = {}): string | ConfigIssue | null {
  const issue = (text: string): ConfigIssue => ({ level: "error", where: path, text: `${text}; the file is not used` });
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : issue(message);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return issue("it is not a regular file");
    if (process.getuid && found.uid !== process.getuid() && found.uid !== 0)
      return issue(`it belongs to another user (uid ${found.uid})`);
    if (found.size > FILE_BYTES_MAX) return issue("it is larger than 256 kB");
    return readFileSync(file, "utf8");
  } catch (error) {
    return issue((error as Error).message);
  } finally {
    closeSync(file);
  }
}
