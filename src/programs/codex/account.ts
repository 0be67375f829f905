import { join } from "node:path";
import { stringAt } from "../../readers/records/json.js";
import { firstOf, type IdentifyAccount } from "../account.js";

export const account: IdentifyAccount = async ({ env, home }, read) =>
  firstOf(env, ["CODEX_API_KEY"]) ??
  (await read(
    env.get("CODEX_HOME") || join(home, ".codex"),
    "auth.json",
    (record) => stringAt(record, "tokens", "account_id") ?? stringAt(record, "OPENAI_API_KEY"),
  )) ??
  firstOf(env, ["OPENAI_API_KEY"]);
