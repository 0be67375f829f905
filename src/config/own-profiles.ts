/**
 * The user's own profiles: the files of the folder `profiles` beside the configuration. A file with an error is reported
 * and ignored; the others are used. A project has no profiles, because an agent can write to its folder.
 */
import type { ProfileOverride } from "../programs/shared/profile.js";
import { readTrustedFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { rousePaths } from "./paths.js";
import { profilesIn } from "./profile-check.js";
import { type OwnProfiles, profileFolder } from "./profile-folder.js";

/** `config` is the folder of `config.toml`. */
export function loadOwnProfiles(config: string = rousePaths().config): OwnProfiles {
  const { files, issue } = profileFolder(config);
  const issues: ConfigIssue[] = issue ? [issue] : [];
  const found = new Map<string, { profile: ProfileOverride; path: string }>();
  for (const path of files) {
    const read = readProfiles(path);
    if (!Array.isArray(read)) issues.push(read);
    else
      for (const profile of read) {
        const other = found.get(profile.id)?.path;
        if (other === undefined) found.set(profile.id, { profile, path });
        else
          issues.push({
            level: "error",
            where: path,
            text: `${other} already defines a profile with the id ${profile.id}, and that one is used; merge the two`,
          });
      }
  }
  const all = [...found.values()];
  return { profiles: all.map(({ profile }) => profile), paths: all.map(({ path }) => path), issues };
}

function readProfiles(path: string): ProfileOverride[] | ConfigIssue {
  const text = readTrustedFile(path);
  // Removed since the folder was listed.
  if (text === null) return [];
  if (typeof text !== "string") return text;
  const read = profilesIn(path, text);
  return Array.isArray(read) ? read : { ...read, text: `${read.text}; the file is not used` };
}
