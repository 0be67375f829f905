import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVIL } from "../../../test/support/evil.js";
import { BoundedTerminal } from "../../readers/terminal/bounded-terminal.js";
import { ScreenFrames } from "./screen-frames.js";

const SIZE = { cols: 40, rows: 6 };

function screenOf(...texts: string[]): { bounded: BoundedTerminal; frames: ScreenFrames } {
  const bounded = new BoundedTerminal(SIZE, 0);
  for (const text of texts) bounded.write(Buffer.from(text));
  return { bounded, frames: new ScreenFrames(bounded.terminal) };
}

function rowsOf(bounded: BoundedTerminal): string[] {
  const buffer = bounded.terminal.buffer.active;
  return Array.from({ length: bounded.terminal.rows }, (_, y) => buffer.getLine(y)?.translateToString(true) ?? "");
}

/** Cursor position, colours, clear: nothing else. */
const OWN = /\u001b\[(?:\d+;\d+H|[\d;]*m|2J|2K)/g;

describe("a frame of a terminal", () => {
  it("holds none of the agent's own sequences, and no control byte", () => {
    const { frames } = screenOf(EVIL, "\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\", "\u001b[200b");
    const left = frames.whole().text.replace(OWN, "");
    expect(left).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(left).not.toContain("evil.example");
    expect(left).toContain("click");
  });

  it("masks a secret, also over wrapped rows", () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const { frames } = screenOf(`token ${"x".repeat(20)} ${secret} end`);
    const text = frames.whole().text.replace(OWN, "");
    expect(text).toContain("end");
    expect(text).not.toContain(secret.slice(4, 14));
    expect(text).not.toContain(secret.slice(-10));
  });

  it("leaves a viewer with the same screen, whatever was written before", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom(
        "\r\n",
        "\u001b[2J",
        "\u001b[H",
        "\u001b[31m",
        "\u001b[0m",
        "\u001b[3;5H",
        "\u001b[K",
        "日本",
        "\u001b[?1049h",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 12 }), (before, after) => {
        const { bounded, frames } = screenOf(...before);
        const viewer = new BoundedTerminal(SIZE, 0);
        viewer.write(Buffer.from(frames.whole().text));
        for (const text of after) {
          bounded.write(Buffer.from(text));
          const changed = frames.changes();
          if (changed) viewer.write(Buffer.from(changed.frame.text));
        }
        expect(rowsOf(viewer)).toEqual(rowsOf(viewerOf(frames)));
      }),
      { numRuns: 100 },
    );
  });

  it("shows a colour of 24 bits as the nearest of the 256, which needs no style attribute in a page", () => {
    const { frames } = screenOf("\u001b[38;2;255;107;128mred\u001b[48;2;128;128;129mgrey\u001b[0;38;5;208mown");
    const { text } = frames.whole();
    expect(text).toContain("\u001b[0;38;5;204mred");
    expect(text).toContain("\u001b[0;38;5;204;48;5;244mgrey");
    expect(text).toContain("\u001b[0;38;5;208mown");
    expect(text).not.toMatch(/[34]8;2;/);
  });

  it("is sent only for what has changed", () => {
    const { bounded, frames } = screenOf("one\r\ntwo");
    frames.whole();
    expect(frames.changes()).toBeNull();
    bounded.write(Buffer.from("\u001b[2;1HTWO"));
    const changed = frames.changes();
    expect(changed?.full).toBe(false);
    expect(changed?.frame.text).toContain("TWO");
    expect(changed?.frame.text).not.toContain("one");
    bounded.resize({ cols: 30, rows: 5 });
    bounded.fit();
    expect(frames.changes()).toMatchObject({ full: true, frame: { cols: 30, rows: 5 } });
  });
});

/** A viewer that joins now. */
function viewerOf(frames: ScreenFrames): BoundedTerminal {
  const viewer = new BoundedTerminal(SIZE, 0);
  viewer.write(Buffer.from(frames.whole().text));
  return viewer;
}
