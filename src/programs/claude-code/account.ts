import { stringAt } from "../../readers/records/json.js";
import { firstOf, type IdentifyAccount, valuesOf } from "../account.js";

const CLOUD = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"];
const CLOUD_ACCOUNT = ["AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_REGION", "ANTHROPIC_VERTEX_PROJECT_ID"];

export const account: IdentifyAccount = async ({ env, home }, read) => {
  if (CLOUD.some((name) => env.get(name))) return valuesOf(env, [...CLOUD, ...CLOUD_ACCOUNT]);
  const key = firstOf(env, ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"]);
  if (key !== null) return key;
  return read(env.get("CLAUDE_CONFIG_DIR") || home, ".claude.json", (record) => {
    // One login may belong to several organizations, each with limits of its own.
    const login = stringAt(record, "oauthAccount", "accountUuid");
    return login && JSON.stringify([login, stringAt(record, "oauthAccount", "organizationUuid") ?? null]);
  });
};
