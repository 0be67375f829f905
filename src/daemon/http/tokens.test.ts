import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { redact } from "../../core/text/redact.js";
import { createToken, listTokens, RIGHTS, type Right, revokeToken, TokenError, Tokens } from "./tokens.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-tokens-"));
  path = join(folder, "tokens.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a token", () => {
  it("has only the rights read, report, report_any, control and admin; the right of hooks belongs to no token", () => {
    expect(RIGHTS).toEqual(["read", "report", "report_any", "control", "admin"]);
    for (const right of ["hook", "root", ""] as unknown as Right[])
      expect(() => createToken(path, "ann", ["read", right], 0), right).toThrow(TokenError);
    expect(listTokens(path)).toEqual([]);
  });

  it("is recognised by its text, has the rights it was given, and is stored only as a digest", () => {
    const token = createToken(path, "ann", ["read", "control"], 0);
    expect(token).toMatch(/^rouse_[\w-]{43}$/);
    expect(readFileSync(path, "utf8")).not.toContain(token.slice(6));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(new Tokens(path).find(token)).toMatchObject({ name: "ann", rights: new Set(["read", "control"]) });
    for (const wrong of ["", token.slice(0, -1), `${token}x`, token.toUpperCase()])
      expect(new Tokens(path).find(wrong)).toBeNull();
  });

  it("is revoked at once, also in a running daemon", () => {
    const tokens = new Tokens(path);
    const token = createToken(path, "ann", ["read"], 0);
    const { name, token: digest = "" } = tokens.find(token) ?? {};
    expect(name).toBe("ann");
    expect([tokens.holds(digest, "read"), tokens.holds(digest, "control")]).toEqual([true, false]);
    expect(revokeToken(path, "ann")).toBe(true);
    expect(tokens.find(token)).toBeNull();
    // Another token of the same name does not replace it either.
    createToken(path, "ann", ["read"], 0);
    expect(tokens.holds(digest, "read")).toBe(false);
    revokeToken(path, "ann");
    expect(revokeToken(path, "ann")).toBe(false);
  });

  it("stands for the agents and inboxes that it was created for, and otherwise for none", () => {
    const scope = { agents: ["web"], inboxes: ["ops"] };
    const named = createToken(path, "ann", ["report"], 0, scope);
    const plain = createToken(path, "ben", ["report"], 0);
    expect(new Tokens(path).find(named)?.scope).toEqual(scope);
    expect(new Tokens(path).find(plain)?.scope).toEqual({ agents: [], inboxes: [] });
    // A token of an older version.
    const [, { agents: _a, inboxes: _i, ...old }] = listTokens(path) as [unknown, Record<string, unknown>];
    writeFileSync(path, JSON.stringify({ tokens: [old] }), { mode: 0o600 });
    expect(new Tokens(path).find(plain)?.scope).toEqual({ agents: [], inboxes: [] });
  });

  it("cannot have the name of rouse itself", () => {
    for (const name of ["rouse", "Rouse"]) expect(() => createToken(path, name, ["read"], 0)).toThrow("reserved");
    expect(listTokens(path)).toEqual([]);
  });

  it("has a unique name of letters and digits", () => {
    createToken(path, "ann", ["read"], 0);
    expect(() => createToken(path, "ann", ["read"], 0)).toThrow("already exists");
    for (const name of ["", "a b", "../x", "\u001b[31m", "x".repeat(61)])
      expect(() => createToken(path, name, ["read"], 0)).toThrow("letters");
    expect(listTokens(path).map(({ name }) => name)).toEqual(["ann"]);
  });

  it("is not read through a link or from a damaged file", () => {
    const token = createToken(path, "ann", ["read"], 0);
    symlinkSync(path, join(folder, "link"));
    expect(new Tokens(join(folder, "link")).find(token)).toBeNull();
    for (const text of [
      "",
      "{",
      '{"tokens":[{"name":"x"}]}',
      '{"tokens":[{"name":"x","digest":"","rights":["root"]}]}',
    ]) {
      writeFileSync(path, text);
      expect(new Tokens(path).find(token)).toBeNull();
      expect(() => listTokens(path)).toThrow("damaged");
    }
  });

  it("in a file that others can read is private again", () => {
    createToken(path, "ann", ["read"], 0);
    chmodSync(path, 0o644);
    listTokens(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is masked in output", () => {
    const token = createToken(path, "ann", ["read"], 0);
    expect(redact(`use ${token} here`)).not.toContain(token.slice(10));
  });
});
