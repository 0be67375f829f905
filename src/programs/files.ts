/** File-system access for the parts of a program. The live implementation is in `sensors/process/program-files.ts`. */

/** Why a file is not read: an agent may have placed it to mislead rouse. */
export type Refusal = "missing" | "no file" | "link" | "not ours" | "several names" | "outside" | "unreadable";

export interface ProgramFiles {
  /** Names in a folder, a bounded number; none if it cannot be read. */
  names(folder: string): Promise<string[]>;
  /** The modification time of a file, in milliseconds; null if it does not exist. */
  changedAt(path: string): Promise<number | null>;
  /** The first bytes of a regular file of this user below `root`, a real path; null if it must not be read. */
  readHead(path: string, root: string, maxBytes: number): Promise<string | null>;
  /** The real path of a folder; null if it does not exist. */
  realRoot(folder: string): string | null;
  sha256(text: string): string;
}
