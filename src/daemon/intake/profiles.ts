/**
 * Program profiles: those of this release, overridden by the user's current files, so that the daemon judges a new agent
 * by the same profile as its host.
 */

import type { ConfigIssue } from "../../config/issue.js";
import { loadOwnProfiles } from "../../config/own-profiles.js";
import { type OwnProfiles, profileStamp } from "../../config/profile-folder.js";
import { profileFor } from "../../programs/registry.js";
import type { AgentProfile, ProfileOverride } from "../../programs/shared/profile.js";

export class Profiles {
  readonly #config: string;
  #stamp: string;
  #loaded: OwnProfiles;

  /** `config` is the folder of `config.toml`. */
  constructor(config: string) {
    this.#config = config;
    this.#stamp = profileStamp(config);
    this.#loaded = loadOwnProfiles(config);
  }

  get issues(): readonly ConfigIssue[] {
    return this.#loaded.issues;
  }

  readonly own = (): readonly ProfileOverride[] => {
    const stamp = profileStamp(this.#config);
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#loaded = loadOwnProfiles(this.#config);
    }
    return this.#loaded.profiles;
  };

  /** By the kind of a session, or the name of a program. */
  readonly of = (kind: string): AgentProfile => profileFor(kind, this.own());
}
