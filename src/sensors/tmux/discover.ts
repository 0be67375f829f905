/** Finds this user's tmux servers, and the panes that contain agents. */
import { lstat, readdir } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { compilePattern, type Pattern } from "../../programs/shared/pattern.js";
import type { ProfileOverride } from "../../programs/shared/profile.js";
import type { Pane } from "./panes.js";
import { type FoundProgram, kindOf, type Processes, type ProcessFact, programBelow } from "./program.js";

/** Which panes to adopt. A pane that rouse created for itself (`@rouse_own`) is never adopted. */
export interface AdoptRules {
  /** Any of these in `@rouse_tags`. */
  tags: readonly string[];
  /** Additional tags, from the project of a pane's folder. */
  tagsIn?: (folder: string) => readonly string[];
  /** RE2, matched against the names of session and window and `@rouse_name`. */
  pattern: string | null;
  /** Names (`@rouse_name`, session) or pane ids given by the user. */
  names: readonly string[];
  /** Every pane that runs a known agent program. */
  programs: boolean;
  /** The user's current profiles. */
  profiles: () => readonly ProfileOverride[];
}

/** A pane to watch, and the agent program in it if one was found. */
export interface PaneCandidate {
  pane: Pane;
  program: FoundProgram | null;
}

const SOCKETS_MAX = 64;

/** The sockets of this user: those in tmux's folder, the server around this process, and the configured ones. */
export async function findSockets(
  named: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string[]> {
  const uid = process.getuid?.() ?? 0;
  const folder = join(env.TMUX_TMPDIR || "/tmp", `tmux-${uid}`);
  const asked = named.map((name) => (isAbsolute(name) ? name : join(folder, basename(name))));
  const inside = (env.TMUX ?? "").split(",")[0] ?? "";
  const files = await readdir(folder).catch(() => []);
  const paths = new Set([
    ...asked,
    ...(isAbsolute(inside) ? [inside] : []),
    ...files.map((file) => join(folder, file)),
  ]);
  const sockets: string[] = [];
  for (const path of [...paths].slice(0, SOCKETS_MAX)) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSocket() && stat.uid === uid) sockets.push(path);
  }
  return sockets;
}

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "fish", "dash", "ksh", "tcsh", "csh", "nu", "pwsh"]);

/** A shell at its prompt, as in a new split of an agent's window: there is no agent to watch. */
const isPlainShell = (pane: Pane): boolean =>
  pane.startCommand === "" && SHELLS.has(basename(pane.command).replace(/^-/, ""));

/**
 * The panes chosen by the rules. Tags and names are mostly set for a session or a window, and apply to every pane in
 * it. If a pane of that window runs an agent program, that pane is chosen and not the editor beside it.
 */
export function chooseAgents(
  panes: readonly Pane[],
  rows: ReadonlyMap<number, ProcessFact> | null,
  processes: Processes | null,
  rules: AdoptRules,
): PaneCandidate[] {
  const named = rules.pattern === null ? null : compilePattern(rules.pattern);
  const candidates = panes
    .filter((pane) => !pane.own && !pane.dead)
    .map((pane) => ({ pane, program: programIn(pane, rows, processes, rules) }));
  const manned = new Set(candidates.filter((one) => one.program).map((one) => one.pane.window.id));
  return candidates.filter(({ pane, program }) => {
    if (rules.names.includes(pane.id)) return true;
    if (program && rules.programs) return true;
    if (!isMeant(pane, rules, named)) return false;
    return program !== null || (!manned.has(pane.window.id) && !isPlainShell(pane));
  });
}

function isMeant(pane: Pane, rules: AdoptRules, named: Pattern | null): boolean {
  const names = [pane.name, pane.session.name, pane.window.name].filter((name) => name !== null);
  return (
    pane.tags.some((tag) => rules.tags.includes(tag) || rules.tagsIn?.(pane.cwd).includes(tag)) ||
    rules.names.some((name) => name === pane.name || name === pane.session.name) ||
    (named !== null && names.some((name) => named.test(name)))
  );
}

/** Without a process list, only the name of the foreground program is known. */
function programIn(
  pane: Pane,
  rows: ReadonlyMap<number, ProcessFact> | null,
  processes: Processes | null,
  rules: AdoptRules,
): FoundProgram | null {
  if (processes && rows?.has(pane.pid)) return programBelow(rows, pane.pid, processes, rules.profiles());
  const kind = kindOf([pane.command], null, rules.profiles());
  return kind ? { kind, pid: pane.pid, start: "", startedAt: 0, argv: [pane.command] } : null;
}
