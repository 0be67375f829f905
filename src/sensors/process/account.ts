/**
 * Which provider account a running agent uses, so that agents with the same account share its limits. Only a digest
 * under a key of this machine leaves this file: no mail address, id or secret can be read or guessed from it.
 *
 * A login takes precedence over a key in the environment if the program does so. Without either, the account is
 * unknown.
 */
import { createHmac } from "node:crypto";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import { FileValues } from "./file-values.js";

export interface AccountLocation {
  kind: string;
  /** Of the process, if readable. */
  env: ReadonlyMap<string, string>;
  home: string;
}

const DIGEST_CHARS = 8;

export class Accounts {
  readonly #key: string;
  readonly #values: FileValues;

  constructor(key: string, now?: () => number) {
    this.#key = key;
    this.#values = new FileValues(now);
  }

  /** Null if unknown. */
  async of(place: AccountLocation): Promise<string | null> {
    const identify = partOf(programFor(place.kind).account);
    const identity = await identify?.(place, this.#values.read);
    if (!identity) return null;
    const digest = createHmac("sha256", this.#key).update(`${place.kind}\0${identity}`).digest("hex");
    return `${place.kind} #${digest.slice(0, DIGEST_CHARS)}`;
  }
}
