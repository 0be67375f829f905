import { sanitize } from "./sanitize.js";

/** Quotes a word for pasting into a shell: a chosen name must stay one word. */
export const shellWord = (word: string): string => {
  const safe = sanitize(word, 200);
  return /^[A-Za-z0-9._/-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
};
