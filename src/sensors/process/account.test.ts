import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Accounts } from "./account.js";

let home: string;
let now = 0;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "rouse-account-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, value: unknown): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), typeof value === "string" ? value : JSON.stringify(value));
}

const accounts = (key = "key"): Accounts => new Accounts(key, () => now);
const of = (kind: string, env: Record<string, string> = {}, known = accounts()): Promise<string | null> =>
  known.of({ kind, env: new Map(Object.entries(env)), home });

const claude = (accountUuid: string, organizationUuid?: string): object => ({
  projects: { "/work": { history: ['"accountUuid": "of another"'] } },
  oauthAccount: { accountUuid, organizationUuid, emailAddress: "ada@example.org" },
});

describe("the account of an agent", () => {
  it("is the login that Claude Code stores, with its organization, because each has its own limits", async () => {
    write(".claude.json", claude("ada", "home"));
    const one = await of("claude-code");
    expect(one).toMatch(/^claude-code #[0-9a-f]{8}$/);
    expect(await of("claude-code")).toBe(one);
    write("other/.claude.json", claude("ada", "team"));
    expect(await of("claude-code", { CLAUDE_CONFIG_DIR: join(home, "other") })).not.toBe(one);
  });

  it("is the login of Codex, else its key", async () => {
    write(".codex/auth.json", { OPENAI_API_KEY: null, tokens: { id_token: "a.b.c", account_id: "acct-1" } });
    write("key/auth.json", { OPENAI_API_KEY: "sk-1" });
    const login = await of("codex", { OPENAI_API_KEY: "sk-2" });
    const key = await of("codex", { CODEX_HOME: join(home, "key") });
    const ofTheEnvironment = await of("codex", { CODEX_HOME: join(home, "none"), OPENAI_API_KEY: "sk-1" });
    expect(login).toMatch(/^codex #/);
    expect(key).not.toBe(login);
    expect(ofTheEnvironment).toBe(key);
  });

  it("is the account that Gemini CLI is configured to use", async () => {
    write(".gemini/google_accounts.json", { active: "ada@example.org", old: [] });
    const login = await of("gemini");
    const key = await of("gemini", { GEMINI_API_KEY: "k" });
    expect(login).toMatch(/^gemini #/);
    expect(key).not.toBe(login);
    write(".gemini/settings.json", { security: { auth: { selectedType: "oauth-personal" } } });
    expect(await of("gemini", { GEMINI_API_KEY: "k" })).toBe(login);
  });

  it("is the key or the cloud account in its environment if that takes precedence over a login", async () => {
    write(".claude.json", claude("ada"));
    const found = await Promise.all([
      of("claude-code"),
      of("claude-code", { ANTHROPIC_API_KEY: "sk-ant-1" }),
      of("claude-code", { ANTHROPIC_API_KEY: "sk-ant-2" }),
      of("claude-code", { CLAUDE_CODE_USE_BEDROCK: "1", AWS_PROFILE: "a", ANTHROPIC_API_KEY: "sk-ant-1" }),
      of("claude-code", { CLAUDE_CODE_USE_BEDROCK: "1", AWS_PROFILE: "b" }),
    ]);
    expect(new Set(found).size).toBe(5);
  });

  it("is unknown without a file, with a damaged or foreign one, and for a program without a login", async () => {
    expect(await of("claude-code")).toBeNull();
    write(".claude.json", '{"oauthAccount": {"accountUuid": "a');
    expect(await of("claude-code")).toBeNull();
    write("elsewhere/auth.json", { tokens: { account_id: "secret" } });
    mkdirSync(join(home, ".codex"));
    symlinkSync(join(home, "elsewhere", "auth.json"), join(home, ".codex", "auth.json"));
    expect(await of("codex")).toBeNull();
    for (const hostile of [[], { oauthAccount: 3 }, { oauthAccount: { accountUuid: { a: 1 } } }]) {
      write(".claude.json", hostile);
      expect(await of("claude-code")).toBeNull();
    }
    expect(await of("opencode", { ANTHROPIC_API_KEY: "sk" })).toBeNull();
    expect(await of("generic")).toBeNull();
  });

  it("follows a new login within a minute, and stays the same while its file is being written", async () => {
    const known = accounts();
    write(".claude.json", claude("ada"));
    const ada = await of("claude-code", {}, known);
    write(".claude.json", '{"oauthAcc');
    now += 61_000;
    expect(await of("claude-code", {}, known)).toBe(ada);
    write(".claude.json", claude("bob"));
    expect(await of("claude-code", {}, known)).toBe(ada);
    now += 61_000;
    expect(await of("claude-code", {}, known)).not.toBe(ada);
  });

  it("cannot be guessed from the mail address or the API key without this machine's key", async () => {
    write(".gemini/google_accounts.json", { active: "ada@example.org" });
    expect(await of("gemini", {}, accounts("one"))).not.toBe(await of("gemini", {}, accounts("another")));
  });
});
