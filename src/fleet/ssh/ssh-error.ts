import { sanitize } from "../../core/text/sanitize.js";

const TEXT_MAX = 600;

/** Something about a machine that is reached by ssh. The message is for users, and safe to show. */
export class SshError extends Error {
  constructor(message: string) {
    super(sanitize(message, TEXT_MAX));
  }
}
