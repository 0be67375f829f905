/** The answer to a request that failed in the daemon. */
import { sanitize } from "../core/text/sanitize.js";
import { JournalError } from "../store/journal-error.js";

const ERROR_CHARS = 300;

/** A full disk is not a defect of the program: the client gets one line. Anything else goes to the log. */
export function failureText(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException;
  if (error instanceof JournalError || cause instanceof JournalError || code !== undefined)
    return sanitize(message, ERROR_CHARS);
  console.error(error);
  return "the daemon failed; see its log";
}
