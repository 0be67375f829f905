import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SecurityFinding } from "../core/notices/security.js";
import { spoolLine, takeSpool } from "../store/audit-spool.js";
import { type Journal, openJournal } from "../store/journal.js";
import { AuditedFiles, digestOf } from "./audited-files.js";

let folder: string;
let journal: Journal;
let files: AuditedFiles;
let announced: SecurityFinding[];

const at = (...names: string[]): string => join(folder, ...names);
const list = () => journal.audit.list({ since: 0, agent: null, limit: 100 }).reverse();
const order = (action: string): number =>
  journal.audit.intend({ at: 1, author: "user", origin: "cli", action, agent: null, session: null, text: "" });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-files-"));
  for (const name of ["config/policies", "config/profiles", "state"]) mkdirSync(at(name), { recursive: true });
  ({ journal } = openJournal(at("state", "journal.db"), { commitWithinMs: 1 }));
  announced = [];
  const paths = { config: at("config"), state: at("state"), tokens: at("state", "tokens.json") };
  files = new AuditedFiles({ paths, audit: journal.audit, now: () => 1000, announce: (one) => announced.push(one) });
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a file that decides what rouse may do", () => {
  it("is recorded when it is first seen, without an alert", () => {
    writeFileSync(at("config", "config.toml"), "version = 1\n");
    files.check();
    files.check();
    expect(list()).toMatchObject([{ author: "unknown", action: "file_first_seen", agent: null }]);
    expect(announced).toEqual([]);
  });

  it.each([
    ["the configuration", ["config", "config.toml"]],
    ["a policy", ["config", "policies", "night.toml"]],
    ["a profile", ["config", "profiles", "claude-code.toml"]],
    ["the permissions", ["state", "allow.json"]],
    ["the tokens", ["state", "tokens.json"]],
    ["the watch rules", ["state", "watch.json"]],
  ])("is recorded and announced once with both digests if no command of rouse changed it: %s", (_, names) => {
    const path = at(...names);
    writeFileSync(path, "one");
    files.check();
    const before = digestOf(path);
    writeFileSync(path, "two");
    files.check();
    files.check();
    const after = digestOf(path);
    expect(list().slice(1)).toMatchObject([
      { author: "unknown", origin: "daemon", action: "file_changed", text: `${path}: ${before} -> ${after}` },
    ]);
    expect(announced).toMatchObject([{ title: expect.stringMatching(/was changed outside of rouse$/) }]);
    rmSync(path);
    files.check();
    expect(announced[1]).toMatchObject({ title: expect.stringMatching(/was removed outside of rouse$/) });
  });

  it("is part of the order that changed it, and of no other order", () => {
    writeFileSync(at("state", "tokens.json"), "one");
    files.check();
    const token = order("token");
    writeFileSync(at("state", "tokens.json"), "two");
    files.finish(token, "done", "");
    expect(list().at(-1)).toMatchObject({
      action: "token",
      outcome: { result: "done", reason: expect.stringMatching(/tokens\.json: [0-9a-f]{16} -> [0-9a-f]{16}$/) },
    });
    writeFileSync(at("state", "allow.json"), "{}");
    const ack = order("ack");
    files.finish(ack, "done", "");
    expect(list().at(-1)).toMatchObject({ action: "ack", outcome: { reason: "" } });
    files.check();
    expect(list().at(-1)).toMatchObject({ author: "unknown", text: expect.stringContaining("allow.json") });
  });

  it("is not unexplained after a command that ran without a daemon", () => {
    writeFileSync(at("state", "tokens.json"), "one");
    files.check();
    const key = "k1";
    const entry = {
      at: 5,
      author: "user",
      origin: "cli",
      action: "token",
      agent: null,
      session: null,
      text: "create x",
      key,
    } as const;
    spoolLine(at("state"), { entry, outcome: null, files: [] });
    writeFileSync(at("state", "tokens.json"), "two");
    const digest = { path: at("state", "tokens.json"), digest: digestOf(at("state", "tokens.json")) };
    spoolLine(at("state"), { entry, outcome: { at: 6, result: "done", reason: "" }, files: [digest] });
    takeSpool(at("state"), journal.audit, digestOf);
    takeSpool(at("state"), journal.audit, digestOf);
    files.check();
    expect(list().slice(1)).toMatchObject([{ action: "token", text: "create x", at: 5, outcome: { result: "done" } }]);
    expect(announced).toEqual([]);
  });

  it("is unexplained if it changed again after that command, or if the line was removed", () => {
    writeFileSync(at("state", "tokens.json"), "one");
    files.check();
    const digest = { path: at("state", "tokens.json"), digest: digestOf(at("state", "tokens.json")) };
    const entry = {
      at: 5,
      author: "user",
      origin: "cli",
      action: "token",
      agent: null,
      session: null,
      text: "",
      key: "k",
    } as const;
    spoolLine(at("state"), { entry, outcome: { at: 6, result: "done", reason: "" }, files: [digest] });
    writeFileSync(at("state", "tokens.json"), "three");
    takeSpool(at("state"), journal.audit, digestOf);
    files.check();
    expect(announced).toHaveLength(1);
  });

  it("is taken as unreadable, and not read, if it is no regular file", () => {
    symlinkSync("/dev/zero", at("config", "config.toml"));
    files.check();
    expect(list()).toMatchObject([{ text: expect.stringMatching(/: unknown -> unreadable$/) }]);
  });
});

describe("lines that commands wrote without a daemon", () => {
  it("are taken once, also if the daemon was killed in between; forged and damaged ones cost only themselves", () => {
    const entry = {
      at: 5,
      author: "user",
      origin: "cli",
      action: "stop",
      agent: "web",
      session: "s1",
      text: "",
      key: "k1",
    } as const;
    spoolLine(at("state"), { entry, outcome: null, files: [] });
    const forged = JSON.stringify({
      entry: { ...entry, key: "k2", action: "audit_accepted" },
      outcome: null,
      files: [],
    });
    const spool = `${JSON.stringify({ entry, outcome: { at: 6, result: "failed", reason: "gone" }, files: [] })}\nnonsense\n${forged}\n`;
    writeFileSync(at("state", "audit-spool.jsonl"), spool);
    takeSpool(at("state"), journal.audit, digestOf);
    // Stored, but killed before the file was removed.
    writeFileSync(at("state", "audit-spool.jsonl.taking"), spool);
    takeSpool(at("state"), journal.audit, digestOf);
    expect(list()).toMatchObject([{ action: "stop", agent: "web", outcome: { result: "failed", reason: "gone" } }]);
  });
});
