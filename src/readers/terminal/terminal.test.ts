import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { generic } from "../../programs/generic/screens.js";
import { profileFor } from "../../programs/registry.js";
import { TerminalReader } from "./terminal.js";

const encoder = new TextEncoder();
const RULE = "─".repeat(60);
const composer = (above: string, draft = "") =>
  `\u001b[2J\u001b[H${above}\r\n\r\n${RULE}\r\n❯ ${draft}\r\n${RULE}\r\n  ? for shortcuts`;

function reader(agent = "claude") {
  const terminal = new TerminalReader(profileFor(agent), { cols: 80, rows: 20, zone: "UTC", structure: generic });
  let at = 0;
  return {
    terminal,
    /** Writes, then checks several times, half a second apart, in addition to the check right after the write. */
    show: (text: string, checks = 1): Signal[] => {
      terminal.write(encoder.encode(text));
      return Array.from({ length: checks + 1 }, () => {
        at += 500;
        return terminal.check(at);
      }).flat();
    },
  };
}
const readings = (signals: Signal[]) => signals.flatMap((s) => (s.kind === "screen" ? [s.reading] : []));

describe("a terminal", () => {
  it("reports a fact when two checks agree, and not before", () => {
    const { show } = reader();
    expect(readings(show(composer("⏺ Done.")))).toEqual([]);
    expect(readings(show(""))).toMatchObject([{ busy: false, composer: "empty", moving: true }]);
  });

  it("reports nothing while nothing changes, except the end of motion", () => {
    const { show } = reader();
    show(composer("⏺ Done."), 2);
    expect(readings(show("", 40))).toMatchObject([{ moving: false }]);
  });

  it.each([
    ["building step 3\r\n", undefined],
    ["Overwrite it? [y/N] ", "text"],
    ["done\r\n$ ", "sign"],
    [">>> ", "sign"],
    ["\u001b[2;1H~\u001b[1;1H", undefined],
    ["one\r\ntwo\u001b[1;4H", undefined],
  ])("reports the text before the cursor of an unknown program: %j", (text, caret) => {
    const last = readings(reader("generic").show(text, 8)).at(-1);
    expect(last).toMatchObject({ composer: "hidden", moving: false });
    expect(last?.caret).toBe(caret);
  });

  it("reports everything that still holds again on request: version, last output, statuses, screen and dialog", () => {
    const { terminal, show } = reader();
    const dialog = "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\n";
    show(
      `\u001b]0;✳ task\u0007\u001b]7501;state=blocked:kind=permission\u0007${composer("▐▛███▜▌   Claude Code v2.1.283")}`,
      3,
    );
    const first = show(`\u001b[2J\u001b[H⏺ Bash(ls)\r\n\r\n${RULE}\r\n Bash command\r\n\r\n ${dialog}`, 20);
    expect(show("", 20)).toEqual([]);
    const again = [...terminal.repeat(60_000), ...show("")];
    expect(again).toMatchObject([
      { kind: "session", version: "2.1.283", at: 60_000 },
      { kind: "output", bytes: 0, at: expect.toSatisfy((at: number) => at < 20_000) },
      { kind: "status", source: "program_status", status: "blocked", prompt: "permission", at: 60_000 },
      { kind: "status", source: "title", status: "idle", at: 60_000 },
      { kind: "screen", reading: readings(first).at(-1) },
    ]);
    expect(readings(again)[0]?.dialog).toBeDefined();
    expect(show("", 20)).toEqual([]);
  });

  const MARKER = "<promise>COMPLETE</promise>";
  const summary = (n: number): string => Array.from({ length: n }, (_, i) => `changed file ${i}`).join("\r\n");

  it.each([
    ["above the last lines of a reply", "claude", composer(`⏺ Done.\r\n\r\n  ${MARKER}\r\n\r\n  ${summary(8)}`), true],
    [
      "that has scrolled away from a program that only prints",
      "generic",
      `ok\r\n${MARKER}\r\n${summary(60)}\r\n`,
      true,
    ],
    [
      "in a sentence about it",
      "claude",
      composer(`⏺ I print ${MARKER} when all tests pass.\r\n\r\n  ${summary(8)}`),
      false,
    ],
    [
      "in a sentence that begins in the row above",
      "claude",
      composer(`⏺ When all tests pass, I print\r\n  ${MARKER}`),
      false,
    ],
    ["in the prompt", "claude", composer(`❯ Fix the parser.\r\n  ${MARKER}\r\n\r\n⏺ I read it.`), false],
    ["nowhere", "generic", `ok\r\n${summary(60)}\r\n`, false],
  ])("sees whether a completion marker was printed: %s", (_, agent, text, isMarked) => {
    expect(readings(reader(agent).show(text, 4)).at(-1)?.marked === true).toBe(isMarked);
  });

  it("does not count a spinner as progress of the reply", () => {
    const { show } = reader();
    const frame = (glyph: string, n: number) => composer(`⏺ Reading.\r\n\r\n${glyph} Baking… (${n}s · ↓ ${n} tokens)`);
    show(frame("✢", 1), 2);
    const later = readings(show(frame("✳", 2), 2));
    expect(later.at(-1)).toMatchObject({ busy: true, tokens: 2 });
    expect(new Set(later.map((reading) => reading.reply)).size).toBe(1);
  });

  it("does not count changing words of a status line as progress, and keeps a result that replaces it", () => {
    const { show } = reader("generic");
    const frame = (status: string) => composer(`● Reading the file.\r\n\r\n${status}`);
    const first = [1, 2, 3].flatMap((n) => readings(show(frame(`∗ Pondering 0m ${n}s`)))).at(-1);
    expect(first).toMatchObject({ busy: true });
    const changed = [14, 13, 12].flatMap((n) => readings(show(frame(`∗ No answer yet, next try in 4m ${n}s`), 3)));
    expect(changed.every((reading) => reading.reply === first?.reply)).toBe(true);
    expect(readings(show(frame("● It took 12s. Shall I go on?"), 2)).at(-1)).toMatchObject({ closing: "question" });
  });

  it("does not count text of a torn frame as progress if it is gone at the next check", () => {
    const { show } = reader();
    const frame = (reply: string, tokens: number) => composer(`${reply}\r\n\r\n✢ Baking… (9s · ↓ ${tokens} tokens)`);
    const [before] = readings(show(frame("⏺ Reading.\r\n\r\n⏺ The sign is", 63), 2));
    expect(
      readings([...show(frame("⏺ Reading.", 29)), ...show(frame("⏺ Reading.\r\n\r\n⏺ The sign is", 63), 2)]),
    ).toEqual([]);
    const later = readings(show(frame("⏺ Reading.\r\n\r\n⏺ The sign is wrong", 64), 2));
    expect(later).toMatchObject([{ tokens: 64 }]);
    expect(later[0]?.reply).not.toBe(before?.reply);
  });

  it("reads a sign with a text presentation mark as that sign", () => {
    const { show } = reader("generic");
    const asks = composer("◆\ufe0e Should I change the code or the test?");
    expect(readings(show(asks, 2)).at(-1)).toMatchObject({ closing: "question" });
  });

  it("distinguishes a draft from an empty composer", () => {
    const { show } = reader();
    expect(readings(show(composer("⏺ Done.", "and now"), 2)).at(-1)).toMatchObject({ composer: "draft" });
  });

  it("reads the status that a program writes, and the status of its title once", () => {
    const { show } = reader();
    const signals = show("\u001b]7501;state=working\u0007\u001b]0;◐ task\u0007");
    expect(signals.filter((s) => s.kind === "status")).toMatchObject([
      { source: "program_status", status: "working" },
      { source: "title", status: "working" },
    ]);
    expect(show("\u001b]0;◑ task\u0007").filter((s) => s.kind === "status")).toEqual([]);
  });

  it("reports a turn that started and ended between two checks, by its titles", () => {
    const { show } = reader();
    const signals = show("\u001b]0;◐ task\u0007\u001b]0;◑ task\u0007\u001b]0;✳ task\u0007");
    expect(signals.flatMap((s) => (s.kind === "status" ? [s.status] : []))).toEqual(["working", "idle"]);
    const many = show(`${"\u001b]0;◐ task\u0007\u001b]0;◑ task\u0007".repeat(500)}\u001b]0;✳ task\u0007`);
    expect(many.flatMap((s) => (s.kind === "status" ? [s.status] : []))).toEqual(["working", "idle"]);
  });

  it("ignores a title spinner that has not moved for seconds while an unknown program shows why it stopped", () => {
    const { show, terminal } = reader("generic");
    const statuses = (signals: Signal[]) => signals.flatMap((s) => (s.kind === "status" ? [s.status] : []));
    expect(statuses(show("\u001b]0;⠦ task\u0007"))).toEqual(["working"]);
    show(composer("\u001b[31m✕ API Error: 401 Invalid API key\u001b[0m"), 2);
    expect(statuses(terminal.check(60_000))).toEqual(["clear"]);
    expect(statuses(terminal.check(90_000))).toEqual([]);
    expect(statuses(show("\u001b]0;⠧ task\u0007"))).toEqual(["working"]);
  });

  it("accepts a title spinner as long as no failure is shown", () => {
    const { show, terminal } = reader("generic");
    show("\u001b]0;⠦ task\u0007");
    show(composer("⏺ The loop adds the tax first."), 2);
    expect(terminal.check(60_000).filter((s) => s.kind === "status")).toEqual([]);
  });

  it("reports the program's version once", () => {
    const { show } = reader();
    const banner = `Claude Code v2.1.300\r\n${RULE}`;
    expect(show(banner).filter((s) => s.kind === "session")).toMatchObject([{ version: "2.1.300" }]);
    expect(show(`\r\n${banner}`).filter((s) => s.kind === "session")).toEqual([]);
  });

  it("reads a screen that does not match the profile by its structure, and reports that", () => {
    const { show } = reader("opencode");
    expect(readings(show("\u001b[2J\u001b[HWorking on it\r\n> ", 2)).at(-1)).toMatchObject({ structural: true });
  });

  it("reads the last line of a program that only prints, and not that of one that draws", () => {
    const printer = reader("some-script");
    const [line] = readings(printer.show("> pkg@1.0.0 run\r\n\r\nrate limit exceeded\r\n", 3)).slice(-1);
    expect(line).toMatchObject({
      composer: "hidden",
      prints: true,
      failure: { limit: true, text: "rate limit exceeded" },
    });
    expect(readings(printer.show("next try\r\n", 3)).at(-1)).not.toHaveProperty("failure");
    expect(readings(printer.show("<promise>COMPLETE</promise>\r\n", 3)).at(-1)).toMatchObject({ marker: true });
    const drawer = reader("some-program");
    const drawn = readings(drawer.show("\u001b[5;1Hrate limit exceeded\r\n", 3)).at(-1);
    expect(drawn).not.toHaveProperty("failure");
    expect(drawn).not.toHaveProperty("prints");
  });

  it("reads the reason of a program's end from its last screen, whole if it takes two rows", () => {
    const { show, terminal } = reader("some-script");
    const refused = `Error asking ${"x".repeat(80)}: ECONNREFUSED`;
    show(`\u001b[31m✖ ${refused}\u001b[39m\r\n    at ask (/opt/it/index.js:12:5)\r\n\r\nSee the manual\r\n`, 3);
    const last = terminal.lastCheck(60_000);
    expect(readings(last).at(-1)?.failure).toEqual({ cause: "unreachable", text: refused, earlier: true });
  });

  it.each([
    ["The first thing that I would change is the", true],
    [`${"The first thing that I would change ".repeat(3)}is`, true],
    ["The first thing that I would change is this.\r\n", undefined],
    ["The first thing that I would change is this.", undefined],
    ["Which of the files do you want ", undefined],
    ["Reading the file", undefined],
    ["Downloading the model 42%", undefined],
  ])("tells whether its text stops within a sentence: %j", (text, cut) => {
    const { show } = reader("some-script");
    expect(readings(show(text, 3)).at(-1)?.cut).toBe(cut);
  });

  it("reports a failure that a program prints again and again, one signal each", () => {
    const { show } = reader("some-script");
    const errors = Array.from({ length: 5 }, () => show("Error: pool exhausted\r\n", 8))
      .flat()
      .filter(({ kind }) => kind === "error");
    expect(errors).toHaveLength(5);
    expect(new Set(errors.map((signal) => signal.kind === "error" && signal.digest)).size).toBe(1);
  });

  it("reads the dialog of a known program by its profile, not by structure", () => {
    const { show } = reader();
    const dialog = `\u001b[2J\u001b[H${RULE}\r\n Bash command\r\n\r\n   rm -rf build\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel`;
    const last = readings(show(dialog, 3)).at(-1);
    expect(last).toMatchObject({ composer: "hidden", busy: null, dialog: { prompt: "permission" } });
    expect(last?.structural).toBeUndefined();
  });

  it("lets a few bytes wait until the program rests, or for four checks", () => {
    const { show, terminal } = reader();
    show(composer("⏺ Done."), 12);
    const titles = ["◐ one", "◐ two", "◐ three", "◐ four", "◐ five", "six"].map((title, n) => {
      terminal.write(encoder.encode(`\u001b]0;${title}\u0007`));
      return terminal.check(10_000 + n * 750).map((signal) => signal.kind);
    });
    expect(titles).toEqual([["output"], [], [], ["status"], [], []]);
    expect(terminal.check(20_000).map((signal) => signal.kind)).toEqual(["output", "status"]);
  });

  it("reads many bytes at the next check, and an unconfirmed state at the one after it", () => {
    const { terminal } = reader();
    const more = (text: string) => terminal.write(encoder.encode(text));
    more(" ".repeat(2000) + composer("⏺ Done."));
    expect(readings(terminal.check(750))).toEqual([]);
    more("\u001b[s\u001b[u");
    expect(readings(terminal.check(1500))).toMatchObject([{ composer: "empty" }]);
  });

  it("confirms a new state at once and a growing counter later, but not by structure alone", () => {
    const lines = (n: number) => composer(`⏺ Reading.\r\n\r\n✢ Baking… (${n}s · ↓ ${n} tokens)`);
    const tokensOf = (agent: string) => {
      const { show } = reader(agent);
      show(lines(1), 4);
      return Array.from({ length: 12 }, (_, n) => readings(show(lines(n + 2), 0)).length).filter((said) => said > 0);
    };
    expect(tokensOf("claude").length).toBeLessThan(tokensOf("some-program").length);
    const { show } = reader();
    show(lines(1), 4);
    const done = composer("⏺ Done.\r\n\r\n✻ Baked for 5s");
    const said = Array.from({ length: 5 }, () => readings(show(done, 0)));
    expect(said).toMatchObject([[], [], [], [], [{ busy: false }]]);
  });

  it("accepts the last screen without confirmation", () => {
    const { terminal } = reader();
    terminal.write(encoder.encode(composer("⏺ Done.")));
    expect(readings(terminal.lastCheck(100))).toMatchObject([{ composer: "empty" }]);
  });

  it("reports arriving bytes at most every five seconds", () => {
    const { show } = reader();
    const bytes = Array.from({ length: 15 }, (_, i) => show(`line ${i}\r\n`))
      .flat()
      .filter((s) => s.kind === "output");
    expect(bytes).toHaveLength(3);
  });

  it("gives the same signals for any chunking between two checks, and never throws", () => {
    const frame = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom(composer("⏺ Done?"), composer("✢ Baking… (3s)"), "\u001b[?1049h", "\u001bc", "日本 😀\r\n"),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.integer({ min: 1, max: 7 }), (frames, size) => {
        const [whole, cut] = [reader(), reader()];
        for (const text of frames) {
          const bytes = encoder.encode(text);
          for (let i = 0; i < bytes.length; i += size) cut.terminal.write(bytes.subarray(i, i + size));
          expect(cut.show("", 2)).toEqual(whole.show(text, 2));
        }
      }),
      { numRuns: process.env.ROUSE_FULL ? 5000 : 100 },
    );
  });

  it("accepts any size that a program or a user requests", () => {
    const { terminal, show } = reader();
    for (const [cols, rows] of [
      [0, 0],
      [1e9, 1e9],
      [Number.NaN, -5],
      [80, 20],
    ] as const)
      terminal.resize(cols, rows);
    expect(readings(show(composer("⏺ Done."), 2)).at(-1)).toMatchObject({ composer: "empty" });
  });
});
