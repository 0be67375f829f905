import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Signal } from "../../core/signal.js";
import { WorkspaceFolder } from "./folder.js";
import { WorkspaceSensor } from "./workspace-sensor.js";

const MINUTE = 60_000;
let base: string;
let work: string;
let now: number;
/** The clock of the file system is this far behind, so that recent writes count as settled. */
let ahead: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "rouse-folder-"));
  work = join(base, "work");
  mkdirSync(work);
  now = Date.now();
  ahead = 10_000;
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...identity, "-C", work, ...args], { stdio: "ignore" });
}

function write(path: string, text: string): void {
  mkdirSync(join(work, path, ".."), { recursive: true });
  writeFileSync(join(work, path), text);
}

function commit(subject: string): void {
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", subject);
}

function makeRepository(): void {
  git("init", "-q");
  write(".gitignore", "*.log\n");
  write("src/a.ts", "1");
  write("src/deep/b.ts", "1");
  mkdirSync(join(work, "empty", "inside"), { recursive: true });
  commit("begin");
}

const settledFolder = () => new WorkspaceFolder(work, { now: () => Date.now() + ahead });

/** Git reads files when it adds them; readings of files have tests of their own. */
const isReading = (signal: Signal): boolean => signal.kind === "file" && signal.role === "access";

async function check(...sensors: WorkspaceSensor[]): Promise<Signal[][]> {
  now = Math.max(now + 1, Date.now());
  const signals: Signal[][] = [];
  for (const sensor of sensors) signals.push((await sensor.check(now)).filter((signal) => !isReading(signal)));
  return signals;
}

/** Until git has answered all first queries. */
async function checkUntilQuiet(...sensors: WorkspaceSensor[]): Promise<void> {
  for (let n = 0; n < 4; n++) await check(...sensors);
}

const texts = (signals: readonly Signal[]): string[] =>
  signals
    .map((signal) => (signal.kind === "commit" ? signal.subject : signal.kind === "file" ? signal.path : signal.kind))
    .map(String)
    .sort();

/** Counts the processes. */
function countGit(): () => number {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const [bin, log] = [join(base, "bin"), join(base, "git.log")];
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$@" >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  return () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0);
}

describe("a folder in which agents work", () => {
  it("starts no git process while nothing changes, however many agents work in it", async () => {
    makeRepository();
    const folder = settledFolder();
    const sensors = Array.from({ length: 5 }, () => new WorkspaceSensor({ folder }));
    const count = countGit();
    await checkUntilQuiet(...sensors);
    const before = count();
    expect(before).toBeLessThanOrEqual(7);
    for (let n = 0; n < 5; n++) expect(await check(...sensors)).toEqual(sensors.map(() => []));
    expect(count()).toBe(before);
    commit("more");
    const committed = count();
    expect((await check(...sensors)).map(texts)).toEqual(sensors.map(() => ["more"]));
    expect(count() - committed).toBeLessThanOrEqual(3);
  });

  it("starts no git process outside a repository", async () => {
    write("a.txt", "1");
    const sensor = new WorkspaceSensor({ folder: settledFolder() });
    const count = countGit();
    await checkUntilQuiet(sensor);
    write("b.txt", "1");
    expect((await check(sensor)).map(texts)).toEqual([["b.txt"]]);
    expect(count()).toBe(0);
  });

  it("asks git at every check while something changed less than two seconds before", async () => {
    makeRepository();
    ahead = 0;
    const sensor = new WorkspaceSensor({ folder: settledFolder() });
    const count = countGit();
    await checkUntilQuiet(sensor);
    const before = count();
    write("src/new.ts", "1");
    await check(sensor);
    await check(sensor);
    expect(count() - before).toBeGreaterThanOrEqual(2);
  });

  it.each<[string, () => void]>([
    ["a commit", () => commit("more")],
    ["two commits", () => [commit("more"), commit("and more")]],
    ["an amended commit", () => git("commit", "-q", "--amend", "--allow-empty", "-m", "other words")],
    ["a commit on another branch", () => [git("checkout", "-q", "-b", "side/branch"), commit("aside")]],
    ["a commit without a branch", () => [git("checkout", "-q", "--detach"), commit("detached")]],
    ["a commit whose branch is packed at once", () => [commit("packed"), git("pack-refs", "--all")]],
    ["an edit", () => appendFileSync(join(work, "src/a.ts"), "2")],
    ["a file that is replaced", () => [rmSync(join(work, "src/a.ts")), write("src/a.ts", "22")]],
    ["a removed file", () => rmSync(join(work, "src/deep/b.ts"))],
    ["a file in a known folder", () => write("src/deep/new.ts", "1")],
    ["a file in a new folder", () => write("more/and/new.ts", "1")],
    ["the first file of an empty folder", () => write("empty/inside/new.ts", "1")],
    ["an ignored file", () => write("src/a.log", "1")],
    ["a staged file", () => [write("src/c.ts", "1"), git("add", "-A")]],
    ["a file that is no longer ignored", () => [write("src/a.log", "1"), write(".gitignore", "*.tmp\n")]],
    ["a removed repository", () => rmSync(join(work, ".git"), { recursive: true })],
  ])("reports %s at the next check, like a sensor that always asks git", async (_, change) => {
    makeRepository();
    const cheap = new WorkspaceSensor({ folder: settledFolder() });
    const asking = new WorkspaceSensor({ folder: new WorkspaceFolder(work, { now: () => 0 }) });
    await checkUntilQuiet(cheap, asking);
    change();
    const [found, expected] = await check(cheap, asking);
    expect(texts(found ?? [])).toEqual(texts(expected ?? []));
    expect(await check(cheap, asking)).toEqual([[], []]);
  });

  it("finds a commit in a second checkout of a repository, and from a folder inside one", async () => {
    makeRepository();
    git("worktree", "add", "-q", "-b", "second", join(base, "second"));
    const main = work;
    const checkout = new WorkspaceSensor({
      folder: new WorkspaceFolder(join(base, "second"), { now: () => Date.now() + ahead }),
    });
    const inside = new WorkspaceSensor({
      folder: new WorkspaceFolder(join(main, "src"), { now: () => Date.now() + ahead }),
    });
    await checkUntilQuiet(checkout, inside);
    commit("in the first");
    expect((await check(checkout, inside)).map(texts)).toEqual([[], ["in the first"]]);
    work = join(base, "second");
    commit("in the second");
    expect((await check(checkout, inside)).map(texts)).toEqual([["in the second"], []]);
  });

  it("finds within minutes a change that no folder time shows, and reports it once", async () => {
    makeRepository();
    mkdirSync(join(work, "target", "inside"), { recursive: true });
    const sensor = new WorkspaceSensor({ folder: settledFolder() });
    await checkUntilQuiet(sensor);
    write("target/inside/new.ts", "1");
    expect(await check(sensor)).toEqual([[]]);
    now += 10 * MINUTE;
    expect(await check(sensor)).toEqual([[]]);
    ahead += 10 * MINUTE;
    expect((await check(sensor)).map(texts)).toEqual([["target/inside/new.ts"]]);
    expect(await check(sensor)).toEqual([[]]);
  });

  it("reports to each agent what happened since its own start, even if it comes later", async () => {
    makeRepository();
    const folder = settledFolder();
    const first = new WorkspaceSensor({ folder });
    await checkUntilQuiet(first);
    write("src/early.ts", "1");
    commit("early");
    expect((await check(first)).map(texts)).toEqual([["early", "src/early.ts"]]);
    now += 5 * MINUTE;
    const late = new WorkspaceSensor({ folder, lookbackMs: 30 * MINUTE });
    const fresh = new WorkspaceSensor({ folder, lookbackMs: 0 });
    const [, reported, nothing] = await check(first, late, fresh);
    expect(texts(reported ?? [])).toEqual(expect.arrayContaining(["early", "src/early.ts"]));
    expect(texts(nothing ?? [])).toEqual(["session"]);
  });

  it("reads a changed file once for all agents, and gives each the same digest", async () => {
    makeRepository();
    const folder = settledFolder();
    const sensors = [new WorkspaceSensor({ folder }), new WorkspaceSensor({ folder })];
    await checkUntilQuiet(...sensors);
    write("src/a.ts", "other");
    const [one, other] = await check(...sensors);
    expect(one).toHaveLength(1);
    expect(other).toEqual(one);
  });
});
