import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TerminalModes } from "./modes.js";

const modesOf = (...chunks: string[]): TerminalModes => {
  const modes = new TerminalModes();
  for (const chunk of chunks) modes.take(Buffer.from(chunk, "latin1"));
  return modes;
};

describe("modes of a terminal", () => {
  it.each([
    ["nothing", "plain text", "", ""],
    ["enabled modes", "\u001b[?1049h\u001b[?2004h", "\u001b[?1049h\u001b[?2004h", "\u001b[?1049l\u001b[?2004l"],
    ["several at once", "\u001b[?1000;1006h", "\u001b[?1000h\u001b[?1006h", "\u001b[?1000l\u001b[?1006l"],
    ["a hidden cursor", "\u001b[?25l", "\u001b[?25l", "\u001b[?25h"],
    ["no mode that was reset", "\u001b[?25l\u001b[?1049h\u001b[?25h\u001b[?1049l", "", ""],
    ["no query", "\u001b[?2026$p\u001b[?6n", "", ""],
  ])("include %s", (_what, text, restore, undo) => {
    expect([modesOf(text).restore(), modesOf(text).undo()]).toEqual([restore, undo]);
  });

  it("are found in a sequence that is split at any byte", () => {
    const text = "ab\u001b[?1049hcd\u001b[?25l\u001b[?2004hx";
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = at.slice(1).map((end, n) => text.slice(at[n], end));
        expect(modesOf(...chunks).restore()).toBe("\u001b[?1049h\u001b[?25l\u001b[?2004h");
      }),
    );
  });

  it("are bounded in number", () => {
    const many = Array.from({ length: 5000 }, (_, n) => `\u001b[?${n}h`).join("");
    expect(modesOf(many).restore().length).toBeLessThan(64 * 10);
  });
});
