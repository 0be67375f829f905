import { join } from "node:path";
import { str } from "../../readers/json.js";
import { firstOf, type IdentifyAccount } from "../account.js";

export const account: IdentifyAccount = async ({ env, home }, read) =>
  firstOf(env, ["CODEX_API_KEY"]) ??
  (await read(
    env.get("CODEX_HOME") || join(home, ".codex"),
    "auth.json",
    (record) => str(record, "tokens", "account_id") ?? str(record, "OPENAI_API_KEY"),
  )) ??
  firstOf(env, ["OPENAI_API_KEY"]);
