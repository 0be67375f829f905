import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedTerminal } from "./bounded-terminal.js";
import { EmulatorGuard } from "./emulator-guard.js";
import { MARKS_MAX } from "./unicode-marks.js";

type Terminal = InstanceType<typeof xterm.Terminal>;

const LARGEST = { cols: 1000, rows: 500 };
const HUGE = 2 ** 31 - 1;

function boundedOf(size = { cols: 20, rows: 6 }, scrollback = 0) {
  const bounded = new BoundedTerminal(size, scrollback);
  return {
    bounded,
    terminal: bounded.terminal,
    write: (text: string) => bounded.write(Buffer.from(text)),
  };
}

/** Text, attributes and cursor. */
function shown(terminal: Terminal): unknown {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y);
    const cells = Array.from({ length: terminal.cols }, (_, x) => line?.getCell(x)).map((cell) =>
      cell ? [cell.getChars(), cell.getWidth(), cell.getFgColor(), cell.getBgColor(), cell.isInverse()].join(",") : "",
    );
    return `${line?.isWrapped} ${cells.join(";")}`;
  });
  return { type: active.type, x: active.cursorX, y: active.cursorY, rows, modes: { ...terminal.modes } };
}

const rowsOf = ({ buffer, rows }: Terminal): string[] =>
  Array.from({ length: rows }, (_, y) => buffer.active.getLine(buffer.active.baseY + y)?.translateToString(true) ?? "");

const count = fc.oneof(fc.nat(8), fc.nat(40), fc.constantFrom(100, 999, 9999));
const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom(
    "\r\n",
    "\n",
    "\v",
    "\f",
    "\r",
    "\b",
    "\t",
    "\u0084",
    "\u0085",
    "e\u0301",
    "漢字",
    "😀",
    "👨‍👩‍👧",
    "\u0000",
  ),
  fc.constantFrom("\u001bM", "\u001bD", "\u001bE", "\u001bc", "\u001b7", "\u001b8", "\u001b#8", "\u001bH", "\u001b(0"),
  fc
    .tuple(count, count, fc.constantFrom(..."HABCDEFGJKLMPSTXZI@`adefgmr".split("")))
    .map(([a, b, final]) => `\u001b[${a};${b}${final}`),
  fc.tuple(count, fc.constantFrom(" @", " A", "'}", "'~")).map(([a, final]) => `\u001b[${a}${final}`),
  fc.nat(120).map((n) => `x\u001b[${n}b`),
  fc
    .tuple(fc.constantFrom(6, 7, 25, 45, 47, 1047, 1048, 1049, 2026), fc.constantFrom("h", "l"))
    .map(([n, to]) => `\u001b[?${n}${to}`),
  fc.tuple(fc.constantFrom(4, 20), fc.constantFrom("h", "l")).map(([n, to]) => `\u001b[${n}${to}`),
  fc.constantFrom(
    "\u001b[!p",
    "\u009b3A",
    "\u001b[3\n1m",
    "\u001b[1;2\u0018x",
    "\u001b[4:3;58:2::1:2:3m",
    "\u001b[31;48;5;9m",
  ),
  fc.constantFrom(
    "\u001b]0;title\u0007",
    "\u001b]52;c;aGk=\u001b\\",
    "\u001bPq#0~\u001b\\",
    "\u001b_Ga=T\u001b\\",
    "\u001b]0;",
  ),
);

describe("the emulator with its guard", () => {
  it("shows what the bare emulator shows, whatever is printed within bounds", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { bounded, terminal, write } = boundedOf();
        const bare = new xterm.Terminal({ cols: 20, rows: 6, scrollback: 0, allowProposedApi: true, logLevel: "off" });
        for (const text of pieces) {
          write(text);
          bare.input("", true);
          bare.write(text);
        }
        expect(shown(terminal)).toEqual(shown(bare));
        bounded.dispose();
        bare.dispose();
      }),
      { numRuns: process.env.ROUSE_FULL ? 50_000 : 1500 },
    );
  });

  it.each([..."LMSTIZ@PXb".split(""), " @", " A", "'}", "'~"])(
    "obeys CSI %s with the largest count at once",
    (final) => {
      for (const size of [{ cols: 120, rows: 40 }, LARGEST]) {
        const { terminal, write } = boundedOf(size);
        write(`first\r\nx\u001b[${HUGE}${final}\u001b[Hlast`);
        expect(rowsOf(terminal)[0]).toMatch(/^last/);
      }
    },
  );

  it("counts in a sequence with a C1 control, leading zeros or further parameters", () => {
    for (const sequence of [`\u009b${HUGE}L`, `\u001b[000${HUGE}L`, `\u001b[${HUGE};1;2L`, `\u001b[${HUGE}:3L`]) {
      const { terminal, write } = boundedOf({ cols: 120, rows: 40 });
      write(`${sequence}last`);
      expect(rowsOf(terminal)[0]).toBe("last");
    }
  });

  it("repeats a character until the screen is full, and its marks with it", () => {
    const { terminal, write } = boundedOf();
    write(`e\u0301\u001b[${HUGE}b`);
    const text = rowsOf(terminal).join("");
    expect(text).toMatch(/^(?:e\u0301)+$/);
    expect(text.length).toBeGreaterThan(20 * 6);
    expect(text.length).toBeLessThanOrEqual(2 * 20 * 6);
  });

  it("gives a character a few marks, and each further one a cell of its own", () => {
    const { terminal, write } = boundedOf();
    write(`a${"\u0301".repeat(MARKS_MAX + 3)}b`);
    expect(terminal.buffer.active.getLine(0)?.getCell(0)?.getChars()).toBe(`a${"\u0301".repeat(MARKS_MAX)}`);
    expect(terminal.buffer.active.getLine(0)?.getCell(4)?.getChars()).toBe("b");
    write("\u0301".repeat(50_000));
    expect(rowsOf(terminal).join("").length).toBeLessThanOrEqual(20 * 6 + 2 * MARKS_MAX);
  });

  it("clears the screen if marks pile up on one character although lines do not wrap", () => {
    const { terminal, write } = boundedOf();
    const pile = `漢${"\u0301".repeat(MARKS_MAX)}`;
    write(`kept\u001b[?7l\u001b[1;20H${pile.repeat(3)}`);
    expect(rowsOf(terminal)[0]).toMatch(/^kept/);
    write(pile.repeat(10_000));
    expect(rowsOf(terminal).join("")).toBe("");
    write("next");
    expect(rowsOf(terminal)[0]).toBe("next");
  });

  it("remembers no hyperlink", () => {
    const { terminal, write } = boundedOf();
    write("\u001b]8;;http://x\u0007link\u001b]8;;\u0007".repeat(100));
    expect(terminal.markers).toHaveLength(0);
    expect(rowsOf(terminal).join("")).toContain("link");
  });

  it("inserts characters, again and again, as the bare emulator does", () => {
    const { terminal, write } = boundedOf();
    write(`tail\r${"\u001b[4h".repeat(20_000)}head\u001b[4l\rH`);
    expect(rowsOf(terminal)[0]).toBe("Headtail");
  });

  it.each([
    ["erasing", "\u001b[2J"],
    ["resetting", "\u001bc"],
    ["filling", "\u001b#8"],
    ["shifting", "\u001b[9 @"],
    ["switching", "\u001b[?1049h\u001b[?1049l"],
    ["inserting lines", "\u001b[500L"],
    ["repeating", "x\u001b[100000b"],
    ["line feeds in a part of the screen,", `\u001b[2;500r\u001b[500H${"\n".repeat(1000)}`],
    ["reverse line feeds,", "\u001bM".repeat(1000)],
    ["characters in insert mode,", `\u001b[4h\r${"y".repeat(900)}`],
    ["tabs without tab stops,", `\u001b[3g${"\r\t".repeat(1000)}`],
  ])("obeys %s only as often as the work of one span allows, and again in the next", (_what, sequence) => {
    const { bounded, terminal, write } = boundedOf(LARGEST);
    write(sequence.repeat(200));
    write("\u001b[r\u001b[?1049l\u001b[4l\u001b[Hkept\u001bc");
    expect(rowsOf(terminal)[0]).toMatch(/^kept/);
    bounded.refill();
    write("\u001bc");
    expect(rowsOf(terminal)[0]).toBe("");
  });

  it("draws text, colours and cursor movements also when no work is left", () => {
    const { terminal, write } = boundedOf(LARGEST);
    write("\u001bc".repeat(100));
    write("\u001b[5;3H\u001b[31mred\u001b[m\r\nnext");
    expect(rowsOf(terminal).slice(4, 6)).toEqual(["  red", "next"]);
  });

  it("leaves enough work for a program that draws a large screen sixty times a second", () => {
    const { bounded, terminal, write } = boundedOf({ cols: 300, rows: 100 });
    for (let frame = 0; frame < 45; frame++) {
      const rows = Array.from({ length: 100 }, (_, y) => `\u001b[${y + 1};1H\u001b[2K${frame} ${y}`);
      write(`\u001b[H\u001b[2J${rows.join("")}`);
    }
    expect(rowsOf(terminal)).toEqual(Array.from({ length: 100 }, (_, y) => `44 ${y}`));
    bounded.dispose();
  });

  it.each([0, 1000])(
    "does not throw when a program erases up to the last cell, with %d lines of scrollback",
    (lines) => {
      const { terminal, write } = boundedOf({ cols: 20, rows: 6 }, lines);
      write("\u001b[6;20H\u001b[1J\u001b[?1J\u001b[Hstill here");
      expect(rowsOf(terminal)[0]).toBe("still here");
    },
  );

  it("changes its size once, with the next output, however often it was asked to", () => {
    const { bounded, terminal, write } = boundedOf();
    const sizes: number[] = [];
    terminal.onResize(({ cols }) => sizes.push(cols));
    for (let n = 0; n < 1000; n++) bounded.resize({ cols: 21 + n, rows: 6 });
    bounded.resize({ cols: 40, rows: 6 });
    write("x".repeat(40));
    expect(sizes).toEqual([40]);
    expect(rowsOf(terminal)[0]).toBe("x".repeat(40));
  });

  it("delays changes of its size when no work is left", () => {
    const { bounded, terminal, write } = boundedOf(LARGEST);
    let changes = 0;
    terminal.onResize(() => changes++);
    for (let n = 0; n < 200; n++) {
      bounded.resize({ cols: 500 + (n % 2) * 500, rows: 400 });
      write("x");
    }
    expect(changes).toBeLessThan(20);
    bounded.fit();
    expect(terminal.rows).toBe(400);
  });

  it("has a size between 2 × 2 and 1000 × 500, whatever is asked", () => {
    for (const [size, cols, rows] of [
      [{ cols: 1e9, rows: 1e9 }, 1000, 500],
      [{ cols: -3, rows: Number.NaN }, 2, 2],
    ] as const) {
      const { bounded, terminal } = boundedOf(size);
      expect([terminal.cols, terminal.rows]).toEqual([cols, rows]);
      bounded.dispose();
    }
  });
});

describe("the guard", () => {
  it("throws if a release of the emulator keeps its parser elsewhere", () => {
    const { terminal } = boundedOf();
    const other = { unicode: terminal.unicode, buffer: terminal.buffer, parser: terminal.parser };
    expect(() => new EmulatorGuard(other as unknown as Terminal)).toThrow(TypeError);
  });
});
