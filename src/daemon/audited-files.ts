/**
 * Digests of the files that decide what rouse may do. A change that no command of rouse made is a line of the audit trail
 * of its own, and is announced: agents can write files of their user.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readTrustedFile } from "../config/file.js";
import type { RousePaths } from "../config/paths.js";
import type { SecurityFinding } from "../core/notices/security.js";
import type { AuditOutcome, AuditResult } from "../store/audit-entry.js";
import { type AuditTable, rouse } from "../store/audit-table.js";

export interface AuditedFilesOptions {
  paths: Pick<RousePaths, "config" | "state" | "tokens">;
  audit: AuditTable;
  now: () => number;
  announce: (finding: SecurityFinding) => void;
}

export interface FileChange {
  path: string;
  /** Null for a file that was not known. */
  before: string | null;
  after: string;
}

/** By action of the order: names of the files that it changes. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  allow: ["allow.json"],
  watch: ["watch.json"],
  unwatch: ["watch.json"],
  token: ["tokens.json"],
  config: ["config.toml"],
  init: ["config.toml"],
  fleet: ["config.toml"],
};

/** Folders with more files are not configuration. */
const FILES_MAX = 200;
const NONE = "none";

export class AuditedFiles {
  readonly #options: AuditedFilesOptions;

  constructor(options: AuditedFilesOptions) {
    this.#options = options;
  }

  /** The outcome of an order, with the files that such an order changes. */
  finish(line: number, result: AuditResult, reason: string): void {
    const { audit, now } = this.#options;
    const files = CHANGES[audit.get(line)?.action ?? ""] ?? [];
    const changes = files.length === 0 ? [] : this.#changes().filter(({ path }) => files.includes(basename(path)));
    audit.outcome(line, { at: now(), result, reason: [reason, ...changes.map(changeText)].filter(Boolean).join("; ") });
    this.#keep(changes);
  }

  /** A file that rouse itself has changed. */
  accept(changed: string): void {
    this.#keep(this.#changes().filter(({ path }) => path === changed));
  }

  /** Records and announces what changed without an order. Throws if it cannot be stored; it is due again then. */
  check(): void {
    const { audit, now, announce } = this.#options;
    const changes = this.#changes();
    if (changes.length === 0) return;
    const done: AuditOutcome = { at: now(), result: "done", reason: "" };
    audit.inOne(() => {
      for (const change of changes) {
        const action = change.before === null ? "file_first_seen" : "file_changed";
        audit.put({ ...rouse(now()), author: "unknown", action, text: changeText(change) }, done);
        audit.putDigest(change.path, change.after);
      }
    });
    for (const change of changes) if (change.before !== null) announce(findingOf(change));
  }

  #keep(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    try {
      const { audit } = this.#options;
      audit.inOne(() => {
        for (const { path, after } of changes) audit.putDigest(path, after);
      });
    } catch {
      // Recorded as unexplained by the next check.
    }
  }

  #changes(): FileChange[] {
    return this.#paths().flatMap((path) => {
      const after = digestOf(path);
      const before = this.#options.audit.knownDigest(path);
      if (after === before || (before === null && after === NONE)) return [];
      return [{ path, before, after }];
    });
  }

  #paths(): string[] {
    const { config, state, tokens } = this.#options.paths;
    const fixed = [join(config, "config.toml"), join(state, "allow.json"), join(state, "watch.json"), tokens];
    const known = this.#options.audit.knownFiles();
    return [
      ...new Set([...fixed, ...known, ...["policies", "profiles"].flatMap((name) => filesIn(join(config, name)))]),
    ];
  }
}

/** The beginning of its SHA-256; `none` for a file that does not exist. */
export function digestOf(path: string): string {
  const text = readTrustedFile(path);
  if (text === null) return NONE;
  return typeof text === "string" ? createHash("sha256").update(text).digest("hex").slice(0, 16) : "unreadable";
}

const changeText = ({ path, before, after }: FileChange): string => `${path}: ${before ?? "unknown"} -> ${after}`;

const findingOf = ({ path, before, after }: FileChange): SecurityFinding => ({
  id: `file ${path} ${before} ${after}`,
  title: `${basename(path)} was ${after === NONE ? "removed" : "changed"} outside of rouse`,
  lines: [path, "If you did not do this, check the file and what your agents did; see `rouse audit`."],
  agent: null,
});

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .slice(0, FILES_MAX)
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
