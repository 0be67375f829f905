import { join } from "node:path";
import { stringAt } from "../../readers/records/json.js";
import { firstOf, type IdentifyAccount } from "../account.js";

export const account: IdentifyAccount = async ({ env, home }, read) => {
  const folder = join(home, ".gemini");
  const key = firstOf(env, ["GEMINI_API_KEY", "GOOGLE_API_KEY"]);
  const login = await read(folder, "google_accounts.json", (record) => stringAt(record, "active"));
  const chosen = await read(
    folder,
    "settings.json",
    (record) => stringAt(record, "security", "auth", "selectedType") ?? stringAt(record, "selectedAuthType"),
  );
  return chosen?.startsWith("oauth") ? (login ?? key) : (key ?? login);
};
