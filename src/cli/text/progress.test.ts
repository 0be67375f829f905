import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startProgress } from "./progress.js";

const ERASE = "\r\u001b[2K";

function fakeStream(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns, write: (text: string) => written.push(text) } };
}

beforeEach(() => {
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the progress line", () => {
  it.each([
    ["no terminal", false, "xterm"],
    ["a dumb terminal", true, "dumb"],
  ])("writes nothing with %s", (_, isTTY, term) => {
    vi.stubEnv("TERM", term);
    const { written, stream } = fakeStream(isTTY);
    const progress = startProgress("replaying", 2, stream);
    progress.step("a");
    progress.end();
    expect(written).toEqual([]);
  });

  it("shows the progress on one line", () => {
    const { written, stream } = fakeStream(true);
    let now = 0;
    const progress = startProgress("replaying", 4, stream, () => now);
    now = 100;
    progress.step("claude/normal");
    expect(written.at(-1)).toBe(`${ERASE}replaying ${"█".repeat(6)}${"░".repeat(18)} 1/4 claude/normal`);
    expect(written.join("")).not.toContain("\n");
  });

  it("counts items if the total is unknown", () => {
    const { written, stream } = fakeStream(true);
    let now = 0;
    const progress = startProgress("screens", null, stream, () => now);
    now = 100;
    progress.step("a");
    expect(written.at(-1)).toBe(`${ERASE}screens 1 a`);
  });

  it("redraws at most every 80 ms", () => {
    const { written, stream } = fakeStream(true);
    const progress = startProgress("replaying", 1000, stream, () => 0);
    for (let i = 0; i < 1000; i++) progress.step();
    expect(written).toHaveLength(1);
  });

  it("is erased once", () => {
    const { written, stream } = fakeStream(true);
    const progress = startProgress("replaying", 2, stream);
    progress.end();
    progress.end();
    expect(written.slice(1)).toEqual([ERASE]);
  });

  it("never wraps and replaces control bytes of a label", () => {
    const { written, stream } = fakeStream(true, 40);
    let now = 0;
    const progress = startProgress("replaying", 2, stream, () => now);
    now = 100;
    progress.step("\u001b]0;title\u0007".repeat(9));
    const line = written.at(-1)?.slice(ERASE.length) ?? "";
    expect(line.length).toBe(39);
    expect(line).not.toContain("\u001b");
  });
});
