import { plain } from "../core/plain.js";

/** Something given that cannot be what it should be. The message is for people and names it. */
export class BadInput extends Error {
  constructor(message: string) {
    super(plain(message, 1000));
  }
}
