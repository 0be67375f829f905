/** The file system as the parts of a program see it. */
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import type { ProgramFiles } from "../../programs/files.js";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";

const NAMES_MAX = 5000;

export const programFiles: ProgramFiles = {
  names: async (folder) => (await readdir(folder).catch(() => [])).slice(0, NAMES_MAX),
  changedAt: (path) =>
    stat(path).then(
      (found) => found.mtimeMs,
      () => null,
    ),
  readHead: readHeadInside,
  realRoot,
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
};
