/**
 * Asks before a command that this process carries out by itself, and reports its outcome. The daemon refuses it inside of a
 * watched agent, and records it. Without a daemon, the records of hosts show which agents run, and the next daemon takes the
 * line of the audit trail from a file.
 */
import { randomUUID } from "node:crypto";
import { ApiError } from "../api/error.js";
import { actionOf } from "../api/order-log.js";
import { makePrivateFolder, rousePaths } from "../config/paths.js";
import { sanitize } from "../core/text/sanitize.js";
import { digestOf } from "../daemon/audited-files.js";
import { DaemonRefusal, DaemonUnreachable } from "../daemon/client.js";
import { enclosingSession } from "../sensors/process/enclosing.js";
import type { AuditEntry, AuditOutcome, AuditResult } from "../store/audit-entry.js";
import { spoolLine } from "../store/audit-spool.js";
import { type FoundSession, listSessions } from "../terminal/registry.js";
import { call, type OperationName } from "./client.js";

export type LocalCommand = Extract<OperationName, `local_${string}`>;

export interface CommandSubject {
  /** Id of the session. */
  agent?: string;
  text?: string;
}

export interface PermittedCommand {
  /** To be called once. `files`: those that the command has changed. */
  finish: (result: AuditResult, reason?: string, files?: readonly string[]) => Promise<void>;
}

const ANSWER_MS = 5000;

/** Throws `ApiError` if it is refused. */
export async function permit(
  command: Exclude<LocalCommand, "local_outcome">,
  about: CommandSubject = {},
): Promise<PermittedCommand> {
  try {
    const { line } = await call(command, about, ANSWER_MS);
    return {
      finish: async (result, reason = "") => {
        // Without it the line shows that the command was permitted.
        await call("local_outcome", { line, result, reason: reason.slice(0, 2000) }, ANSWER_MS).catch(() => {});
      },
    };
  } catch (error) {
    // A daemon that is starting, hangs, or is of another version.
    if (!(error instanceof DaemonUnreachable) && !(error instanceof DaemonRefusal)) throw error;
    return permitWithoutDaemon(command, about);
  }
}

/** Runs a command between its permission and its outcome. */
export async function permitted<T>(
  command: Exclude<LocalCommand, "local_outcome">,
  about: CommandSubject,
  files: readonly string[],
  run: () => T | Promise<T>,
): Promise<T> {
  return recorded(await permit(command, about), files, run);
}

async function recorded<T>(command: PermittedCommand, files: readonly string[], run: () => T | Promise<T>): Promise<T> {
  try {
    const answer = await run();
    await command.finish("done", "", files);
    return answer;
  } catch (error) {
    await command.finish("failed", (error as Error).message, files);
    throw error;
  }
}

/** Whether an orchestrator may do it only the daemon can tell. */
export function permitWithoutDaemon(command: string, { agent, text = "" }: CommandSubject = {}): PermittedCommand {
  const alive = listSessions(rousePaths()).filter(({ isAlive }) => isAlive);
  const around = enclosingSession(process.pid, alive) ?? alive.find(({ id }) => id === process.env.ROUSE_SESSION);
  const about = alive.find(({ id, name }) => id === agent || name === agent);
  const entry = {
    at: Date.now(),
    author: around ? `agent ${sanitize(around.name, 80)}` : "user",
    origin: "cli",
    action: actionOf(command),
    agent: about?.name ?? agent ?? null,
    session: about?.id ?? null,
    text,
    key: randomUUID(),
  } as const;
  if (around) throw refuse(around, entry);
  spool(entry, null, []);
  return {
    finish: async (result, reason = "", files = []) =>
      spool(
        entry,
        { at: Date.now(), result, reason },
        files.map((path) => ({ path, digest: digestOf(path) })),
      ),
  };
}

function refuse({ name }: FoundSession, entry: AuditEntry & { key: string }): ApiError {
  const reason = `refused inside of the watched agent ${sanitize(name, 80)}`;
  spool(entry, { at: entry.at, result: "refused", reason }, []);
  return new ApiError("identity", `${reason}; run the command in another terminal`);
}

function spool(
  entry: AuditEntry & { key: string },
  outcome: AuditOutcome | null,
  files: { path: string; digest: string }[],
): void {
  const { state } = rousePaths();
  try {
    makePrivateFolder(state);
    spoolLine(state, { entry, outcome, files });
  } catch {
    // A full disk: the next daemon records the changed files as unexplained.
  }
}
