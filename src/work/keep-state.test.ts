import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forkState } from "./fork-state.js";
import { forgetStates, type KeptState, keepState, keptStates } from "./keep-state.js";

let home: string;
let top: string;
const git = (...args: string[]): string =>
  execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" }).trim();
const write = (name: string, text: string): void => writeFileSync(join(top, name), text);
const keep = (now = 1_000, bytesMax?: number) =>
  keepState({ folder: top, task: 7, reason: "tests passed", now, ...(bytesMax === undefined ? {} : { bytesMax }) });
const kept = async (now?: number): Promise<KeptState> => {
  const state = await keep(now);
  if (state === null || typeof state === "string") throw new Error(`not kept: ${state}`);
  return state;
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-keep-"));
  top = join(home, "shop");
  mkdirSync(join(top, "src"), { recursive: true });
  git("init", "-q", "-b", "main");
  write("a.txt", "one\n");
  write("gone.txt", "x\n");
  write("src/run.sh", "#!/bin/sh\n");
  write(".gitignore", "secret.env\n");
  git("add", "-A");
  git("commit", "-qm", "first");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Work that is committed in no part: changed, staged, new, removed, made executable, a link, odd names. */
function work(): void {
  write("a.txt", "two\n");
  write("staged.txt", "s\n");
  git("add", "staged.txt");
  write('odd "name"\n.txt', "odd\n");
  write("secret.env", "TOKEN=1\n");
  chmodSync(join(top, "src/run.sh"), 0o755);
  symlinkSync("../outside", join(top, "link"));
  rmSync(join(top, "gone.txt"));
}

describe("a kept state", () => {
  it("holds all files that are not ignored, and leaves branch, index and files as they are", async () => {
    work();
    const index = readFileSync(join(top, ".git/index"));
    const before = [git("rev-parse", "HEAD"), git("symbolic-ref", "HEAD"), git("stash", "list")];
    const { commit, ref } = await kept();
    expect(readFileSync(join(top, ".git/index"))).toEqual(index);
    expect([git("rev-parse", "HEAD"), git("symbolic-ref", "HEAD"), git("stash", "list")]).toEqual(before);
    expect(ref).toBe("refs/rouse/7/1000");
    expect(git("rev-parse", `${commit}^`)).toBe(before[0]);
    const files = git("ls-tree", "-r", "-z", commit)
      .split("\0")
      .map((line) => line.replace(/ blob \w+\t/, " "));
    expect(files.filter(Boolean)).toEqual([
      "100644 .gitignore",
      "100644 a.txt",
      "120000 link",
      '100644 odd "name"\n.txt',
      "100755 src/run.sh",
      "100644 staged.txt",
    ]);
    expect(git("show", `${commit}:a.txt`)).toBe("two");
    expect(git("show", `${commit}:link`)).toBe("../outside");
  });

  it("runs no hook, filter, monitor or other command of the repository, and signs nothing", async () => {
    const trap = `touch ${join(home, "trapped")}; cat`;
    write(".gitattributes", "* filter=evil diff=evil\n");
    write(".git/info/attributes", "* filter=evil\n");
    for (const name of ["clean", "smudge", "process"]) git("config", `filter.evil.${name}`, trap);
    git("config", "diff.evil.textconv", trap);
    git("config", "core.fsmonitor", trap);
    git("config", "commit.gpgSign", "true");
    git("config", "gpg.program", join(home, "gpg"));
    for (const name of [
      "reference-transaction",
      "post-checkout",
      "pre-commit",
      "post-index-change",
      "fsmonitor-watchman",
    ]) {
      writeFileSync(join(top, ".git/hooks", name), `#!/bin/sh\ntouch ${join(home, "trapped")}\n`, { mode: 0o755 });
    }
    rmSync(join(home, "trapped"), { force: true });
    write("a.txt", "two\n");
    const state = await kept();
    const forked = await forkState(top, 7, 2_000);
    expect(forked).toMatchObject({ state });
    expect(existsSync(join(home, "trapped"))).toBe(false);
  });

  it("ignores another work tree that the repository names, and refuses refs that are links", async () => {
    writeFileSync(join(home, "private"), "secret");
    git("config", "core.worktree", home);
    const { commit } = await kept();
    expect(
      execFileSync("git", ["--git-dir", join(top, ".git"), "ls-tree", "-r", commit], { encoding: "utf8" }),
    ).not.toContain("private");
    rmSync(join(top, ".git/refs/rouse"), { recursive: true });
    mkdirSync(join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), join(top, ".git/refs/rouse"));
    expect(await keep(2_000)).toContain("refs/rouse of the repository");
  });

  it("is not written again while nothing changed, and not if the changes are too large", async () => {
    write("a.txt", "two\n");
    await kept(1_000);
    expect(await keep(2_000)).toBeNull();
    write("big", "x".repeat(2 * 1024 * 1024));
    expect(await keep(3_000, 1024 * 1024)).toBe(
      `the changed files of ${top} have more than 1 MB, or all files more than 1 GB`,
    );
    expect((await keptStates(top, 7)).map(({ at }) => at)).toEqual([1_000]);
  });

  it("is refused with a reason outside of a repository and without a commit", async () => {
    const empty = join(home, "empty");
    mkdirSync(empty);
    expect(await keepState({ folder: empty, task: 7, reason: "x", now: 1 })).toBe(`${empty} is in no git repository`);
    execFileSync("git", ["init", "-q", empty]);
    expect(await keepState({ folder: empty, task: 7, reason: "x", now: 1 })).toContain("has no commit yet");
  });

  it("is not pushed, and is removed with its task", async () => {
    write("a.txt", "two\n");
    await kept();
    const remote = join(home, "remote.git");
    execFileSync("git", ["init", "-q", "--bare", remote]);
    git("push", "-q", "--all", remote);
    git("push", "-q", "--tags", remote);
    expect(
      execFileSync("git", ["-C", remote, "for-each-ref", "--format=%(refname)"], { encoding: "utf8" }).trim(),
    ).toBe("refs/heads/main");
    await forgetStates(top, 7);
    expect(git("for-each-ref", "refs/rouse")).toBe("");
  });
});

describe("a second attempt", () => {
  it("starts on its own branch and worktree with the files of the kept state, and later damage stays where it is", async () => {
    work();
    await kept(1_000);
    write("a.txt", "damaged\n");
    rmSync(join(top, "staged.txt"));
    await kept(3_000);
    const fork = await forkState(top, 7, 2_000);
    if (typeof fork === "string") throw new Error(fork);
    expect(fork).toMatchObject({ folder: `${top}-task-7-1`, branch: "rouse/task-7-1", state: { at: 1_000 } });
    const read = (name: string): string => readFileSync(join(fork.folder, name), "utf8");
    expect([read("a.txt"), read("staged.txt"), read('odd "name"\n.txt')]).toEqual(["two\n", "s\n", "odd\n"]);
    expect(readlinkSync(join(fork.folder, "link"))).toBe("../outside");
    expect(statSync(join(fork.folder, "src/run.sh")).mode & 0o111).toBe(0o111);
    expect(existsSync(join(fork.folder, "gone.txt"))).toBe(false);
    const there = (...args: string[]) => execFileSync("git", ["-C", fork.folder, ...args], { encoding: "utf8" }).trim();
    expect(there("rev-parse", "HEAD")).toBe(git("rev-parse", "main"));
    expect(there("diff", "--name-only").split("\n")).toEqual(["a.txt", "gone.txt", "src/run.sh"]);
    expect(readFileSync(join(top, "a.txt"), "utf8")).toBe("damaged\n");
    expect(await forkState(top, 7, 2_000)).toMatchObject({ branch: "rouse/task-7-2" });
  });

  it("is refused while nothing was kept, or only later", async () => {
    expect(await forkState(top, 7, 1)).toContain("no state of task 7 was kept");
    write("a.txt", "two\n");
    await kept(5_000);
    expect(await forkState(top, 7, 1_000)).toContain("after this checkpoint");
  });
});
