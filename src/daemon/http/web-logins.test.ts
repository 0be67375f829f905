import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listTokens, Tokens } from "./tokens.js";
import { LOGIN_MS, WebLogins } from "./web-logins.js";

const DAY_MS = 24 * 3600_000;
let folder: string;
let path: string;
let now: number;
let logins: WebLogins;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-logins-"));
  path = join(folder, "tokens.json");
  now = Date.parse("2026-11-20T08:00:00Z");
  logins = new WebLogins(path, undefined, () => now);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a login code of the dashboard", () => {
  it("becomes a session with its rights, once", () => {
    const { code } = logins.create(["read", "control"]);
    const session = logins.redeem(code);
    expect(new Tokens(path).find(session?.token ?? "", now)).toMatchObject({ rights: new Set(["read", "control"]) });
    expect(logins.redeem(code)).toBeNull();
  });

  it("expires after a minute, and none other is accepted", () => {
    const { code } = logins.create(["read"]);
    for (const wrong of ["", code.slice(1), `${code}x`]) expect(logins.redeem(wrong)).toBeNull();
    now += LOGIN_MS;
    expect(logins.redeem(code)).toBeNull();
    expect(listTokens(path)).toEqual([]);
  });

  it("is not accepted as a token", () => {
    const { code } = logins.create(["admin"]);
    expect(new Tokens(path).find(code, now)).toBeNull();
  });
});

describe("a session of the dashboard", () => {
  it("survives a restart of the daemon, and ends after 7 days", () => {
    const { token = "" } = logins.redeem(logins.create(["read"]).code) ?? {};
    const restarted = new Tokens(path);
    const { token: digest = "" } = restarted.find(token, now + 7 * DAY_MS - 1) ?? {};
    expect(restarted.holds(digest, "read", now + 7 * DAY_MS - 1)).toBe(true);
    expect(restarted.find(token, now + 7 * DAY_MS)).toBeNull();
    expect(restarted.holds(digest, "read", now + 7 * DAY_MS)).toBe(false);
  });

  it("is revoked when the user signs out; a token created by hand is not", () => {
    const { token = "", name = "" } = logins.redeem(logins.create(["read"]).code) ?? {};
    expect(logins.end("my-client")).toBe(false);
    expect(logins.end(name)).toBe(true);
    expect(new Tokens(path).find(token, now)).toBeNull();
  });

  it("takes the place of the oldest one when there are 50", () => {
    const first = logins.redeem(logins.create(["read"]).code);
    for (let i = 0; i < 50; i++) logins.redeem(logins.create(["read"]).code);
    expect(listTokens(path)).toHaveLength(50);
    expect(new Tokens(path).find(first?.token ?? "", now)).toBeNull();
  });
});
