/**
 * The key with which hooks post to the daemon's port, created once in a file that only this user can read. It is also in the
 * settings of agents, which are often less private, so it only permits posting hooks and telemetry.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { writeNew } from "../../config/whole-file.js";

const KEY = /^[A-Za-z0-9_-]{43}$/;

/** The key in this file; null if the file holds no valid key. */
export function readKey(path: string): string | null {
  const key = readPrivate(path)?.trim() ?? "";
  return KEY.test(key) ? key : null;
}

/** Content of a private file; null if it is missing or belongs to another user. */
export function readPrivate(path: string): string | null {
  try {
    // A link in its place could point to a file that another user can read.
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

/** The key in this file; creates a missing file. Throws if the file holds no valid key. */
export function makeKey(path: string): string {
  const known = readKey(path);
  if (known !== null) return known;
  const key = randomBytes(32).toString("base64url");
  if (writeNew(path, `${key}\n`)) return key;
  // Two processes start at once: the first key wins.
  const theirs = readKey(path);
  if (theirs !== null) return theirs;
  throw new Error(`${path} is not a key of rouse; remove it, and rouse creates a new one`);
}

/** Compares in constant time. */
export function isSameKey(given: string, key: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(key));
}
