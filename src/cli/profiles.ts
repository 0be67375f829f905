/** Loads profiles from the file of an option. */
import { readFile } from "node:fs/promises";
import { issueText } from "../config/issue.js";
import { profilesIn } from "../config/profile-check.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { whyUnreadable } from "../replay/bad-input.js";
import { WrongOption } from "./wrong-option.js";

export async function loadProfiles(path: string): Promise<ProfileOverride[]> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new WrongOption(`cannot read the profile: ${whyUnreadable(path, error)}`);
  });
  const found = profilesIn(path, text);
  if (Array.isArray(found)) return found;
  throw new WrongOption(issueText(found));
}
