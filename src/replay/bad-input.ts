import { sanitize } from "../core/text/sanitize.js";

/** Invalid input. The message is for users and names it. */
export class BadInput extends Error {
  constructor(message: string) {
    super(sanitize(message, 1000));
  }
}

/** Why a path cannot be read, in plain words for known error codes. */
export function whyUnreadable(path: string, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return WORDS[code]?.(path) ?? `cannot read ${path}: ${message}`;
}

const WORDS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `no such file or folder: ${path}`,
  EISDIR: (path) => `${path} is a folder, expected a file`,
  EACCES: (path) => `cannot read ${path}: permission denied`,
};
