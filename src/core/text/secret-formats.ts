/**
 * The formats of secrets as one table. A row is the literal prefix of a secret and the rest of it.
 *
 * `rest` is matched right after the prefix and holds one or two bounded runs of a character class, so a prefix costs at
 * most a few thousand steps. A prefix counts only at the start of a word.
 */
export interface SecretFormat {
  readonly what: string;
  readonly begins: readonly string[];
  /** Source of a regular expression. */
  readonly rest: string;
}

const WORD = "[A-Za-z0-9_-]{16,2000}";
const WORD_10 = "[A-Za-z0-9_-]{10,400}";
const ALNUM_20 = "[A-Za-z0-9]{20,400}";
const ALNUM_32 = "[A-Za-z0-9]{32,400}";
const HEX_32 = "[0-9a-f]{32,128}";
const DOTTED = "[A-Za-z0-9_.=-]{16,4000}";
const BASE64 = "[A-Za-z0-9+/_=-]{20,4000}";

const row = (what: string, begins: string, rest: string): SecretFormat => ({ what, begins: begins.split(" "), rest });

export const SECRET_FORMATS: readonly SecretFormat[] = [
  row("rouse", "rouse_", "[A-Za-z0-9_-]{43}"),
  // Model vendors.
  row("Anthropic", "sk-ant-", WORD),
  row("OpenAI", "sk-proj- sk-svcacct- sk-admin- sk-None-", WORD),
  row("OpenAI and its likes", "sk-", "[A-Za-z0-9_-]{20,400}"),
  row("OpenRouter", "sk-or-v1-", HEX_32),
  row("Langfuse", "sk-lf- pk-lf-", "[0-9a-f-]{32,64}"),
  row("Google API", "AIza", "[A-Za-z0-9_-]{30,60}"),
  row("Groq", "gsk_", ALNUM_20),
  row("xAI", "xai-", ALNUM_20),
  row("Perplexity", "pplx-", ALNUM_20),
  row("Together", "tgp_v1_", WORD),
  row("Fireworks", "fw_", ALNUM_20),
  row("Cerebras", "csk-", ALNUM_20),
  row("NVIDIA", "nvapi-", WORD),
  row("Voyage", "pa-", "[A-Za-z0-9_-]{40,60}"),
  row("Tavily", "tvly-", WORD_10),
  row("Firecrawl", "fc-", HEX_32),
  row("Hugging Face", "hf_ api_org_", ALNUM_20),
  row("Replicate", "r8_", ALNUM_20),
  row("ElevenLabs", "sk_", "[0-9a-f]{40,64}"),
  row("Cursor", "key_", "[0-9a-f]{40,80}"),
  row("LangSmith", "lsv2_pt_ lsv2_sk_ ls__", WORD),
  row("Pinecone", "pcsk_", WORD),
  // Clouds and hosting.
  row("AWS access key", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"),
  row("AWS Bedrock", "ABSK bedrock-api-key-", BASE64),
  row("Google OAuth", "ya29.", WORD),
  row("Google refresh token", "1//0", WORD),
  row("Google client secret", "GOCSPX-", WORD_10),
  row("Azure storage", "AccountKey= SharedAccessKey=", BASE64),
  row("Azure signature", "&sig= ?sig=", "[A-Za-z0-9%+/=]{20,200}"),
  row("Alibaba Cloud", "LTAI", "[A-Za-z0-9]{16,30}"),
  row("Tencent Cloud", "AKID", ALNUM_32),
  row("Yandex Cloud", "AQVN", "[A-Za-z0-9_-]{30,60}"),
  row("DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", HEX_32),
  row("Heroku", "HRKU-", WORD),
  row("Fly", "fo1_ fm1_ fm2_", BASE64),
  row("Netlify", "nfp_ nfc_ nfo_", ALNUM_20),
  row("Vercel", "vcp_ vci_ vca_ vcr_ vck_", ALNUM_20),
  row("Render", "rnd_", ALNUM_20),
  row("Supabase", "sbp_ sb_secret_", WORD),
  row("PlanetScale", "pscale_tkn_ pscale_pw_ pscale_oauth_", WORD),
  row("Neon", "napi_", ALNUM_20),
  row("Databricks", "dapi", HEX_32),
  row("Cloudflare", "v1.0-", "[0-9a-f]{24,64}-[0-9a-f]{100,200}"),
  row("Tailscale", "tskey-", WORD_10),
  row("HashiCorp Vault", "hvs. hvb. hvr.", WORD),
  row("Doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", DOTTED),
  row("1Password", "ops_eyJ", BASE64),
  row("Pulumi", "pul-", HEX_32),
  row("Dynatrace", "dt0c01. dt0s16.", DOTTED),
  row("age", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,64}"),
  // Code, packages, builds.
  row("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9_]{30,255}"),
  row("GitHub fine-grained", "github_pat_", "[A-Za-z0-9_]{20,255}"),
  row("GitLab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas- GR1348941", "[\\w.-]{16,200}"),
  row("Bitbucket", "ATBB ATCTT3", "[A-Za-z0-9_=-]{20,400}"),
  row("npm", "npm_", "[A-Za-z0-9]{30,60}"),
  row("PyPI", "pypi-AgE", "[A-Za-z0-9_-]{50,2000}"),
  row("RubyGems", "rubygems_", HEX_32),
  row("crates.io", "cio", "[A-Za-z0-9]{32}"),
  row("NuGet", "oy2", "[a-z0-9]{43}"),
  row("Clojars", "CLOJARS_", ALNUM_20),
  row("Docker Hub", "dckr_pat_ dckr_oat_", WORD),
  row("Buildkite", "bkua_ bkct_", ALNUM_20),
  row("CircleCI", "CCIPAT_", DOTTED),
  row("Sentry", "sntrys_ sntryu_", BASE64),
  row("Sourcegraph", "sgp_", "[A-Za-z0-9_]{32,200}"),
  row("Postman", "PMAK-", "[0-9a-f-]{50,80}"),
  // Messages, payments, offices.
  row("Slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xapp-", "[A-Za-z0-9.-]{10,300}"),
  row("Slack webhook", "hooks.slack.com/", "[A-Za-z0-9/_-]{20,200}"),
  row("Discord webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "[A-Za-z0-9/_-]{20,200}"),
  row("Teams webhook", "webhook.office.com/", "[A-Za-z0-9/@_-]{20,400}"),
  row("Telegram", "api.telegram.org/bot", "[0-9]{6,12}:[A-Za-z0-9_-]{30,60}"),
  row("SendGrid", "SG.", "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{30,60}"),
  row("Mailgun", "key-", HEX_32),
  row("Resend", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,40}"),
  row("Twilio", "SK AC", "[0-9a-f]{32}"),
  row("Stripe", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", "[A-Za-z0-9+/=]{16,300}"),
  row("Square", "sq0atp- sq0csp- EAAA", "[A-Za-z0-9_-]{20,80}"),
  row("Braintree", "access_token$production$ access_token$sandbox$", "[0-9a-z$]{16,80}"),
  row("Plaid", "access-production- access-development- access-sandbox-", "[0-9a-f-]{30,60}"),
  row("Shopify", "shpat_ shpca_ shppa_ shpss_", HEX_32),
  row("Facebook", "EAAC EAAB EAAG", "[A-Za-z0-9]{60,300}"),
  row("X", "AAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{30,200}"),
  row("Dropbox", "sl.", "[A-Za-z0-9_-]{100,2000}"),
  row("Notion", "ntn_ secret_", ALNUM_32),
  row("Linear", "lin_api_ lin_oauth_ lin_wh_", ALNUM_20),
  row("Atlassian", "ATATT3", "[A-Za-z0-9_=-]{50,400}"),
  row("Figma", "figd_ figdr_", WORD),
  row("Airtable", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  row("Contentful", "CFPAT-", WORD),
  row("Typeform", "tfp_", WORD),
  row("New Relic", "NRAK- NRJS- NRII- NRRA-", ALNUM_20),
  row("Grafana", "glc_ glsa_", "[A-Za-z0-9+/_=]{20,400}"),
  row("PostHog", "phx_", ALNUM_20),
  row("LaunchDarkly", "sdk- mob-", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
  // Common to several vendors.
  row("JSON web token", "eyJ", "[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,8000}(?:\\.[A-Za-z0-9_-]{0,4000}){0,3}"),
];
