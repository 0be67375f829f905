import { join } from "node:path";
import { str } from "../../readers/json.js";
import { firstOf, type IdentifyAccount } from "../account.js";

export const account: IdentifyAccount = async ({ env, home }, read) => {
  const folder = join(home, ".gemini");
  const key = firstOf(env, ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  const login = await read(folder, "google_accounts.json", (record) => str(record, "active"));
  const chosen = await read(
    folder,
    "settings.json",
    (record) => str(record, "security", "auth", "selectedType") ?? str(record, "selectedAuthType"),
  );
  return chosen?.startsWith("oauth") ? (login ?? key) : (key ?? login);
};
