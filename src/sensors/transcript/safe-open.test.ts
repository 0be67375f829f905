import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openInside, readHeadInside, realRoot } from "./safe-open.js";
import { Tail } from "./tail.js";

const SWAPS = process.env.ROUSE_FULL ? 10_000 : 200;
let base: string;
let root: string;
let outside: string;

beforeAll(() => {
  base = realRoot(mkdtempSync(join(tmpdir(), "rouse-open-"))) as string;
  root = join(base, "in");
  outside = join(base, "out");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "SECRET\n");
  writeFileSync(join(root, "good"), "good\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function reasonOf(path: string): Promise<string> {
  const opened = await openInside(path, root);
  if (!opened.ok) return opened.reason;
  await opened.handle.close();
  return "opened";
}

describe("openInside", () => {
  it("opens a plain file of ours inside the folder", async () => {
    expect(await reasonOf(join(root, "good"))).toBe("opened");
    expect(await readHeadInside(join(root, "good"), root, 3)).toBe("goo");
  });

  it("refuses a file of another user", async () => {
    const uid = process.getuid?.() ?? 0;
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    expect(await reasonOf(join(root, "good"))).toBe("not ours");
    getuid.mockRestore();
    expect(await reasonOf(join(root, "good"))).toBe("opened");
  });

  it("refuses a link, a folder behind a link, a path outside, a hard link, a pipe, a device and a folder", async () => {
    symlinkSync(join(outside, "secret"), join(root, "link"));
    symlinkSync(outside, join(root, "linked"));
    linkSync(join(outside, "secret"), join(root, "hard"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    mkdirSync(join(root, "folder"));
    expect(await reasonOf(join(root, "link"))).toBe("link");
    rmSync(join(root, "hard"));
    expect(await reasonOf(join(root, "linked", "secret"))).toBe("outside");
    expect(await reasonOf(`${root}/../out/secret`)).toBe("outside");
    linkSync(join(outside, "secret"), join(root, "hard"));
    expect(await reasonOf(join(root, "hard"))).toBe("several names");
    rmSync(join(root, "hard"));
    expect(await reasonOf(join(root, "pipe"))).toBe("no file");
    expect(await reasonOf("/dev/zero")).toBe("no file");
    expect(await reasonOf(join(root, "folder"))).toBe("no file");
    expect(await reasonOf(join(root, "nothing"))).toBe("missing");
    expect(await reasonOf(`${root}-sibling/x`)).toBe("missing");
  });
});

/** Puts a file, a link, a linked folder, a pipe and a hard link to the secret in turn at the tail's path. */
const SWAPPER = `
  const fs = require("fs");
  const { execFileSync } = require("child_process");
  const [root, outside] = process.argv.slice(1);
  const at = root + "/swap/t";
  let turn = 0;
  const clear = () => { try { fs.rmSync(root + "/swap", { recursive: true, force: true }); } catch {} };
  execFileSync("mkfifo", [root + "/fifo"]);
  const ways = [
    () => { fs.mkdirSync(root + "/swap"); fs.writeFileSync(at, "good " + turn + "\\n"); },
    () => { fs.rmSync(at, { force: true }); fs.symlinkSync(outside + "/secret", at); },
    () => { fs.rmSync(at, { force: true }); fs.linkSync(outside + "/secret", at); },
    () => { fs.rmSync(at, { force: true }); fs.renameSync(root + "/fifo", at); fs.renameSync(at, root + "/fifo"); },
    () => { clear(); fs.symlinkSync(outside, root + "/swap"); fs.rmSync(root + "/swap"); },
  ];
  clear();
  console.log("up");
  setInterval(() => {
    for (let i = 0; i < 50; i++) { try { ways[turn % ways.length](); } catch {} turn++; }
  }, 0);
`;

describe("Tail while another process swaps the file", () => {
  let swapper: ChildProcess;
  beforeAll(async () => {
    writeFileSync(join(outside, "t"), "SECRET\n");
    swapper = spawn(process.execPath, ["-e", SWAPPER, root, outside], { stdio: ["ignore", "pipe", "ignore"] });
    await once(swapper.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  });
  afterAll(async () => {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
  });

  it(`reads nothing foreign in ${SWAPS} attempts, and never hangs`, async () => {
    const kept = new Tail(join(root, "swap", "t"), { root });
    const lines = new Set<string>();
    let refused = 0;
    const isMet = () => lines.size > 0 && refused > 0;
    for (let i = 0; i < SWAPS || (!isMet() && i < 100 * SWAPS); i++) {
      const once = new Tail(join(root, "swap", "t"), { root });
      for (const tail of [once, kept]) {
        const read = await tail.read();
        for (const line of read.lines) lines.add(line.replace(/\d+/, "N"));
        if (read.refusal !== null && read.refusal !== "missing") refused++;
      }
      await once.close();
    }
    await kept.close();
    expect([...lines]).toEqual(["good N"]);
    expect(isMet()).toBe(true);
  });
});
