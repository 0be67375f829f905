/**
 * The key that lets a program post to the daemon's port: made once, kept in a file that only this user may read. It
 * stands in the agents' own settings too, which are often less private, so all that it opens is telling.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { writeNew } from "../../config/whole-file.js";

const KEY = /^[A-Za-z0-9_-]{43}$/;

/** The key of this file, or null where there is none that is fit to be one. */
export function readKey(path: string): string | null {
  const key = readPrivate(path)?.trim() ?? "";
  return KEY.test(key) ? key : null;
}

/** What a file of this user alone holds; null where there is none, or it is another's. */
export function readPrivate(path: string): string | null {
  try {
    // A link in its place could point at a file that somebody else knows.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { uid, mode } = fstatSync(handle);
      if (process.getuid && uid !== process.getuid()) return null;
      if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
      return readFileSync(handle, "utf8");
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** The key of this file; made when the file is not there yet. Throws when there is a file that holds no key. */
export function makeKey(path: string): string {
  const known = readKey(path);
  if (known !== null) return known;
  const key = randomBytes(32).toString("base64url");
  if (writeNew(path, `${key}\n`)) return key;
  // Two that begin at once: the first one's key is the key.
  const theirs = readKey(path);
  if (theirs !== null) return theirs;
  throw new Error(`${path} is not a key of rouse; remove it, and rouse creates a new one`);
}

/** Takes the same time wherever the two differ. */
export function isSameKey(given: string, key: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(key));
}
