import { describe, expect, it } from "vitest";
import { Pty, type PtyExit } from "../../src/terminal/pty.js";
import { until } from "../support/hosts.js";

const RUNS = process.env.ROUSE_FULL === "1" ? 200 : 20;

function run(
  script: string,
  each?: (pty: Pty, seen: () => string) => void,
): Promise<PtyExit & { text: string; bytes: Buffer }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const seen = (): string => Buffer.concat(chunks).toString();
    const pty = new Pty(
      { command: ["sh", "-c", script], cwd: "/tmp", env: process.env, cols: 80, rows: 24 },
      {
        data: (bytes) => {
          chunks.push(Buffer.from(bytes));
          each?.(pty, seen);
          return false;
        },
        exit: (exit) => resolve({ ...exit, text: seen(), bytes: Buffer.concat(chunks) }),
      },
    );
  });
}

describe("a pseudo-terminal", () => {
  it(`loses no output in ${RUNS} short runs`, async () => {
    const wanted = Array.from({ length: 4000 }, (_, n) => `${n + 1}\r\n`).join("");
    for (let n = 0; n < RUNS; n++) {
      const { text, code } = await run("seq 1 4000");
      expect(code).toBe(0);
      expect(text === wanted, `run ${n}: ${text.length} of ${wanted.length} characters`).toBe(true);
    }
  });

  it("loses no output that is read in bursts", async () => {
    let chunks = 0;
    const { text } = await run("seq 1 300000", (pty) => {
      if (++chunks % 4 !== 0) return;
      pty.pause();
      setTimeout(() => pty.resume(), 2);
    });
    const wanted = Array.from({ length: 300_000 }, (_, n) => `${n + 1}\r\n`).join("");
    expect(text === wanted, `${text.length} of ${wanted.length} characters`).toBe(true);
  });

  it("loses no output if it is paused while the program ends", async () => {
    let isPaused = false;
    const { text } = await run("echo first; sleep 0.2; seq 1 2000; exit 3", (pty) => {
      if (isPaused) return;
      isPaused = true;
      pty.pause();
    });
    expect(text.trimEnd().split("\r\n")).toEqual(["first", ...Array.from({ length: 2000 }, (_, n) => String(n + 1))]);
  });

  it.each([
    ["exit 0", { code: 0, signal: null }],
    ["exit 3", { code: 3, signal: null }],
    ["exit 255", { code: 255, signal: null }],
    ["kill -TERM $$", { code: null, signal: 15 }],
    ["kill -KILL $$", { code: null, signal: 9 }],
    ["kill -INT $$", { code: null, signal: 2 }],
  ])("reports how %j ended", async (script, exit) => {
    expect(await run(script)).toMatchObject(exit);
  });

  it("ends with the program, not with processes that the program left running", async () => {
    const { code, text } = await run("(trap '' HUP; sleep 5) & echo done; exit 4");
    expect([code, text]).toEqual([4, "done\r\n"]);
  });

  it("keeps unread input up to a bound, and continues when the program reads", async () => {
    const chunk = Buffer.alloc(256 * 1024, "x");
    const sent: boolean[] = [];
    const { text } = await run("stty raw -echo; echo ready; sleep 0.5; head -c 262144 | wc -c", (pty, seen) => {
      if (sent.length > 0 || !seen().includes("ready")) return;
      for (let n = 0; n < 8; n++) sent.push(pty.write(chunk));
    });
    expect(sent).toEqual(Array(8).fill(false));
    expect(text).toContain("262144");
  });

  it("deletes a whole character at Backspace", async () => {
    let isTyped = false;
    const { text } = await run("echo ready; read -r line; printf '<%s>' \"$line\" | od -An -tx1", (pty, seen) => {
      if (isTyped || !seen().includes("ready")) return;
      isTyped = true;
      pty.write(Buffer.from("aé\u007fb\n"));
    });
    expect(text).toContain("3c 61 62 3e");
  });

  it("passes bytes that are not text", async () => {
    const { bytes } = await run("printf '\\377\\303'");
    expect([...bytes]).toEqual([0xff, 0xc3]);
  });

  it("passes a new size to the program", async () => {
    let isAsked = false;
    const { text } = await run(
      "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done",
      (pty, seen) => {
        if (isAsked || !seen().includes("ready")) return;
        isAsked = true;
        pty.resize(132, 43);
      },
    );
    expect(text).toContain("43 132");
  });

  it("leaks no descriptor", async () => {
    const { readdirSync } = await import("node:fs");
    const count = (): number => readdirSync("/proc/self/fd").length;
    await run("true");
    const before = count();
    for (let n = 0; n < 5; n++) await run("true");
    await until("the descriptors to be closed", () => count() <= before);
  });
});
