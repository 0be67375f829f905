/** Loads the user's own profiles, and the module that checks them only if there is a profile file. */
import { type OwnProfiles, profileFolder } from "./profile-folder.js";

/** `config` is the folder of `config.toml`. */
export async function ownProfiles(config: string): Promise<OwnProfiles> {
  const { files, issue } = profileFolder(config);
  if (files.length === 0) return { profiles: [], paths: [], issues: issue ? [issue] : [] };
  const { loadOwnProfiles } = await import("./own-profiles.js");
  return loadOwnProfiles(config);
}
