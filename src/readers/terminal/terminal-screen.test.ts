import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScreenRow } from "./row.js";
import { TerminalScreen } from "./terminal-screen.js";

function screenOf(cols = 20, rows = 6) {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  const screen = new TerminalScreen(terminal);
  const write = (text: string) => {
    terminal.input("", true);
    terminal.write(text);
  };
  return { terminal, screen, write };
}

const texts = (rows: readonly ScreenRow[]) => rows.map(({ text }) => text);

/** Every row as the emulator itself reports it. */
function reported(terminal: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, y) =>
    (active.getLine(active.baseY + y)?.translateToString(true) ?? "")
      .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, " ")
      .trimEnd(),
  );
}

const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    "\b",
    "\t",
    "e\u0301",
    "日本",
    "😀",
    "👨‍👩‍👧",
    "\u00a0x\u2003y",
    "\u001bM",
    "\u001bc",
  ),
  fc
    .tuple(fc.nat(8), fc.nat(24), fc.constantFrom("H", "A", "B", "J", "K", "L", "M", "P", "@", "X", "S", "T", "b", "r"))
    .map(([a, b, code]) => `\u001b[${a};${b}${code}`),
  fc.constantFrom(47, 1047, 1049, 2026, 6, 7).map((mode) => `\u001b[?${mode}h`),
  fc.constantFrom(47, 1047, 1049, 2026, 6, 7).map((mode) => `\u001b[?${mode}l`),
);

describe("the emulator's screen", () => {
  it("has the emulator's rows after any writes and at any time of reading", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 40 }), (pieces) => {
        const { terminal, screen, write } = screenOf();
        for (const [text, isRead] of pieces) {
          write(text);
          if (isRead) screen.read();
        }
        screen.read();
        expect(texts(screen.rows)).toEqual(reported(terminal));
      }),
      { numRuns: process.env.ROUSE_FULL ? 20_000 : 500 },
    );
  });

  it.each(["\u06de", "ab\r\u06de", "\u001b[5G\u06de", "a\u06de", "\u06dex"])(
    "keeps a zero-width mark where the emulator reports it: %j",
    (text) => {
      const { terminal, screen, write } = screenOf();
      write(text);
      screen.read();
      expect(texts(screen.rows)).toEqual(reported(terminal));
    },
  );

  it.each(["\u1680", "a\u205f", "a\u2028", "a \u1680 ", "\u205fb"])("keeps a rare space unchanged: %j", (text) => {
    const { terminal, screen, write } = screenOf();
    write(text);
    screen.read();
    expect(texts(screen.rows)).toEqual(reported(terminal));
  });

  it("names only rows whose text changed", () => {
    const { screen, write } = screenOf();
    write("one\r\ntwo\r\nthree");
    expect(screen.read()).toHaveLength(6);
    write("\u001b[2;1Hzwei");
    expect(texts(screen.read())).toEqual(["zwei"]);
    write("\u001b[2;1H\u001b[31mzwei");
    expect(screen.read()).toEqual([]);
  });

  it("reads every row again when a program leaves the other buffer, whatever the scroll region", () => {
    const { terminal, screen, write } = screenOf();
    write("\u001b[2;0r\u001b[?47hone\r\n");
    screen.read();
    write("\u001b[?47l");
    screen.read();
    expect(texts(screen.rows)).toEqual(reported(terminal));
  });

  it("reads every row again after a change of height", () => {
    const { terminal, screen, write } = screenOf();
    write("one");
    screen.read();
    terminal.resize(20, 4);
    screen.touch();
    expect(screen.read()).toHaveLength(4);
    expect(texts(screen.rows)).toEqual(reported(terminal));
  });

  it("reads every row if the emulator's internals differ", () => {
    const { terminal, write } = screenOf();
    const { buffer, rows } = terminal;
    const blind = new TerminalScreen({ buffer, rows } as InstanceType<typeof xterm.Terminal>);
    write("one");
    blind.read();
    write("\r\ntwo");
    expect(texts(blind.read())).toEqual(["two"]);
  });

  it.each([
    ["red", "\u001b[31mAPI Error\u001b[0m", { tinted: true, muted: false }],
    ["amber", "\u001b[38;2;215;150;30mAPI Error\u001b[0m", { tinted: true, muted: false }],
    ["the default colour", "API Error", { tinted: false, muted: false }],
    ["blue, as code is", "\u001b[38;2;80;120;250mAPI Error\u001b[0m", { tinted: false, muted: false }],
    ["grey", "\u001b[38;2;153;153;153mWorked for 3s\u001b[0m", { tinted: false, muted: true }],
    ["dim", "\u001b[2mWorked for 3s\u001b[0m", { tinted: false, muted: true }],
    ["red in one word of four", "an \u001b[31mError\u001b[0m in the middle of a line", { tinted: false, muted: false }],
  ])("recognises text in %s", (_, text, expected) => {
    const { screen, write } = screenOf(60);
    write(text);
    expect({ tinted: screen.tinted(0), muted: screen.muted(0) }).toEqual(expected);
  });

  it.each([
    ["stands", "text\r\n> \r\nfoot\u001b[2;3H", true],
    ["is drawn by changed colours", "text\r\n> \u001b[7m \u001b[0mtype here\r\nfoot", true],
    ["is drawn as a block", "text\r\n> ▋type here\r\nfoot", true],
    ["is not: a row of changed colours", "text\r\n> \u001b[7mselected\u001b[0m\r\nfoot", false],
    ["is not: a bar", "text\r\n> ████░░\r\nfoot", false],
  ])("recognises where the cursor %s", (_, text, expected) => {
    const { screen, write } = screenOf(60);
    write(text);
    screen.read();
    expect(screen.cursor(1)).toBe(expected);
  });

  it("recognises text with a background of its own", () => {
    const { screen, write } = screenOf(60);
    write("\u001b[48;2;40;50;40m all passed \u001b[0m\r\n all \u001b[44mpassed\u001b[0m or not");
    expect([screen.backed(0), screen.backed(1)]).toEqual([true, false]);
  });

  it("ignores a background that most of the screen has", () => {
    const { screen, write } = screenOf(60);
    write("\u001b[48;2;20;20;20m\u001b[2J\u001b[H the reply\r\n\u001b[48;2;60;60;60m the prompt");
    screen.read();
    expect([screen.backed(0), screen.backed(1)]).toEqual([false, true]);
  });

  it.each([
    ["grey words behind the cursor", "% \u001b[2mAsk me\u001b[0m\u001b[1;3H", true],
    ["the cursor behind them", "% \u001b[2mAsk me\u001b[0m", false],
    ["words in no colour", "% Ask me\u001b[1;3H", false],
    ["the cursor in another row", "% \u001b[2mAsk me\u001b[0m\r\n", false],
    ["no words", "% \u001b[1;3H", false],
  ])("recognises a placeholder: %s", (_, text, expected) => {
    const { screen, write } = screenOf(60);
    write(text);
    screen.read();
    expect(screen.ghost(0)).toBe(expected);
  });

  it("distinguishes a red frame from red text", () => {
    const { screen, write } = screenOf(60);
    write("\u001b[31m┃\u001b[0m text\r\n┃ \u001b[31mtext\u001b[0m");
    expect([screen.redFrame(0), screen.redFrame(1)]).toEqual([true, false]);
  });

  it("is plain only until something is drawn in a colour", () => {
    const { screen, write } = screenOf(60);
    write("\u001b[1;2;7mAPI Error\u001b[0m");
    screen.read();
    expect(screen.isPlain()).toBe(true);
    write("\r\n\u001b[31mred\u001b[0m");
    screen.read();
    expect(screen.isPlain()).toBe(false);
    write("\u001b[2J");
    screen.read();
    expect(screen.isPlain()).toBe(false);
  });
});
