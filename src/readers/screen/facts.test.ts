import { describe, expect, it } from "vitest";
import { profileFor } from "../../agents/registry.js";
import { compileProfile } from "./compiled.js";
import { readFacts } from "./facts.js";
import { rowOf } from "./row.js";
import { footOf, joinRows, maskRow, type ScreenText } from "./screen-text.js";

const AT = Date.parse("2026-03-02T09:00:00Z");
const RULE = "─".repeat(40);

const UNKNOWN = {
  tinted: () => null,
  muted: () => null,
  redFrame: () => null,
  backed: () => null,
  ghost: () => null,
  cursor: () => null,
  isPlain: () => false,
};

function facts(agent: string, rows: string[], tinted: boolean | null = null, drawn: Partial<ScreenText> = {}) {
  const screen: ScreenText = { ...UNKNOWN, rows: rows.map(rowOf), tinted: () => tinted, ...drawn };
  return readFacts(compileProfile(profileFor(agent)), screen, {
    at: AT,
    until: () => undefined,
    ticking: () => false,
  });
}
const claude = (...above: string[]) => [...above, "", RULE, "❯ ", RULE, "  ? for shortcuts"];
const stranger = (...above: string[]) => [...above, "", RULE, "*   Type your message", RULE, "  YOLO mode"];
const opencode = (...above: string[]) => [
  ...above,
  "",
  "  ┃",
  "  ┃",
  "  ┃",
  "  ┃  Build · Some Model",
  `  ╹${"▀".repeat(40)}`,
  "   ■■■■■⬝⬝⬝  esc interrupt",
];
const codex = (...above: string[]) => [...above, "", "› ", "", "  gpt-5 · ~/project"];

describe("the facts of a screen", () => {
  it("are no words of the turn before, although no empty row lies between", () => {
    const cut = ["✦ The loop adds the tax and", "ℹ Request cancelled."];
    const prompt = ["▄".repeat(40), " > continue", "▀".repeat(40)];
    const composer = ["", " ? for shortcuts", "▄".repeat(40), " *   Type your message", "▀".repeat(40)];
    expect(facts("gemini", [...cut, ...composer])).toMatchObject({ interrupted: true });
    const after = facts("gemini", [...cut, ...prompt, "✦ The sum starts at zero now.", ...composer]);
    expect(after).toMatchObject({ busy: false, closing: "result" });
    expect(after.interrupted).toBeUndefined();
  });

  it.each([
    [
      "Claude Code at work",
      "claude",
      claude("✢ Baking… (12s · ↓ 1.2k tokens)"),
      { busy: true, elapsed: 12, tokens: 1200 },
    ],
    ["Claude Code at rest", "claude", claude("⏺ Done."), { busy: false, composer: "empty" }],
    [
      "a tool that runs right above the spinner",
      "claude",
      claude("⏺ Let me test it.", "  ⎿  $ npm test (12s)", "✢ Baking… (15s · ↓ 1.2k tokens)"),
      { busy: true, tool: { class: "shell", subject: "npm test" } },
    ],
    ["Codex at work", "codex", codex("• Working (3s • esc to interrupt)"), { busy: true, elapsed: 3 }],
    ["Codex at rest", "codex", codex("• Done."), { busy: false, composer: "empty" }],
    [
      "a stranger's tool without the clock and the keys beside its name",
      "generic",
      stranger("  ⊷ Shell npm test     (ctrl+f to focus) 1m 2s", "", "  ⠼ Warming up... (19s · esc to cancel)"),
      { busy: true, tool: { class: "shell", subject: "npm test" } },
    ],
    [
      "a command that OpenCode runs",
      "opencode",
      opencode("     I will run the tests.", "", "  ┃", "  ┃  ⠇ npm test", "  ┃", "", "     ▣  Build · Some Model"),
      { busy: true, tool: { class: "shell", subject: "npm test" } },
    ],
    [
      "a command that never ends by itself, as the program shows it",
      "gemini",
      stranger("│ ⊷  Shell tail -f server.log      (Tab to focus) │", "", " ! Shell awaiting input (Tab to focus)"),
      { busy: true, tool: { class: "endless", subject: "tail -f server.log" } },
    ],
    [
      "a stranger at work whose phrase is too long for the row",
      "generic",
      stranger("  ⠼I've seen things you people wouldn't believe (19s · ↑ 59 tokens · esc to", "      cancel)"),
      { busy: true, elapsed: 19, tokens: 59 },
    ],
    [
      "a stranger's failure above a wrapped note, a hint at the far right and a mode with its key",
      "generic",
      stranger(
        "✕ [API Error: 401 invalid x-api-key]",
        "",
        "ℹ This request failed. Run /settings and change its verbosity for full",
        "  details.",
        `${" ".repeat(60)}? for shortcuts`,
        RULE,
        " YOLO Ctrl+Y",
      ),
      { busy: false, error: { cause: "auth" } },
    ],
    [
      "a stranger's limit below its composer",
      "generic",
      [...stranger("⏺ I'll look."), "  ⚠ Usage limit reached · limit resets 5:16am"],
      { limit: { text: "  ⚠ Usage limit reached · limit resets 5:16am" } },
    ],
    [
      "a question at the end, without the rows around it",
      "claude",
      claude("⏺ Which port should I", "  use, 80 or 8080?", "", "✻ Cooked for 1s"),
      { closing: "question", asks: "Which port should I use, 80 or 8080?" },
    ],
    ["compaction", "claude", claude("✢ Compacting conversation… (9s)"), { compacting: true, busy: true }],
  ])("tell %s", (_, agent, rows, expected) => {
    expect(facts(agent, rows)).toMatchObject(expected);
  });

  it("tell a permission by its structure: options in the composer's place", () => {
    const { dialog, composer } = facts("claude", [
      RULE,
      " Bash command",
      "   rm -rf build",
      " Do you want to proceed?",
      " ❯ 1. Yes",
      "   2. No, and tell Claude what to do differently",
      "",
      " Esc to cancel",
    ]);
    expect(dialog).toMatchObject({ prompt: "permission" });
    expect(dialog?.question).toContain("Do you want to proceed?");
    expect(composer).toBe("hidden");
  });

  it("do not take a dialog that is quoted in a reply for one", () => {
    const quoted = claude("⏺ The screen shows:", "   Do you want to proceed?", "   ❯ 1. Yes", "     2. No");
    expect(facts("claude", quoted)).not.toHaveProperty("dialog");
  });

  describe("of a stranger without any sign", () => {
    const bare = (...above: string[]) => [...above, "", RULE, "", RULE, "~/project (main)"];
    const cursorIn = (y: number) => ({ cursor: (row: number) => row === y });
    const stranger = (rows: string[], backed: number[] = []) =>
      facts("generic", rows, null, { ...cursorIn(rows.length - 3), backed: (y) => backed.includes(y) });

    it("tell where a human types: between two rules, or in a box, with the cursor", () => {
      expect(stranger(bare("Done."))).toMatchObject({ composer: "empty", busy: false });
      const box = ["Done.", "╭──────────╮", "│ ● ▋Ask anything  │", "╰──────────╯", "  [auto]"];
      expect(facts("generic", box, null, cursorIn(2))).toMatchObject({ composer: "empty" });
      expect(facts("generic", box, null, cursorIn(0))).toMatchObject({ composer: "hidden" });
      expect(facts("generic", box)).toMatchObject({ composer: "hidden" });
    });

    it("tell its last message, which is neither a tool's output nor what stands on a ground of its own", () => {
      const rows = bare(" $ npm test", " all passed", "", " Which port should I use?");
      expect(stranger(rows, [0, 1])).toMatchObject({
        replying: true,
        closing: "question",
        asks: "Which port should I use?",
      });
      expect(stranger(bare("Fix the failing test?"), [0])).not.toHaveProperty("closing");
      const printed = bare("● Bash(npm test)", "  ⎿  Output:", "    all passed?", "", "  It is mended.");
      expect(stranger(printed)).toMatchObject({ replying: true, closing: "result" });
      expect(stranger([...printed.slice(0, 3), ...printed.slice(5)])).not.toHaveProperty("closing");
    });

    it("tell its last message without when it was said, what it took and how much of it is left", () => {
      const rows = bare(
        " $ npm test",
        "",
        " Which port should I use?                  9:15 PM",
        "",
        "     Worked for 3.6s",
        "  ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 1% 1k/128k",
      );
      expect(stranger(rows)).toMatchObject({ ended: true, closing: "question", asks: "Which port should I use?" });
      expect(stranger(bare(" Which port should I use?", "  ⏱ 1m 46s"))).toMatchObject({ ended: true });
    });

    it("tell where a human types by a sign of the program's own: before grey words, and from then on with a draft", () => {
      const signs = new Set<string>();
      const see = (row: string, drawn: Partial<ScreenText>) =>
        readFacts(
          compileProfile(profileFor("generic")),
          { ...UNKNOWN, rows: ["Done.", row].map(rowOf), ...drawn },
          { at: AT, until: () => undefined, ticking: () => false, signs },
        ).composer;
      const here = (row: number) => row === 1;
      expect(see("🪿 and also", { cursor: here })).toBe("hidden");
      expect(see("🪿 Enter to send", { cursor: here, ghost: here })).toBe("empty");
      expect(see("🪿 and also", { cursor: here })).toBe("draft");
      expect(see("🪿 and also", {})).toBe("hidden");
      expect(see("🦆 and also", { cursor: here })).toBe("hidden");
    });

    it("tell that it tries again, by the number of the try alone", () => {
      const rows = bare("    ⠧ Connection failed | Retrying (attempt 5)... 1.9s");
      const seen = readFacts(
        compileProfile(profileFor("generic")),
        { ...UNKNOWN, rows: rows.map(rowOf), ...cursorIn(rows.length - 3) },
        { at: AT, until: () => undefined, ticking: ({ text }) => text.includes("⠧") },
      );
      expect(seen.retry).toMatchObject({ attempt: 5, infra: "refused" });
    });

    it("tell an error above the trace that the program prints below it", () => {
      const trace = [
        "Error: no answer.",
        "    at Client.ask (/opt/it/index.js:12:5)",
        "    at async main (/opt/it/index.js:3:1)",
      ];
      const rows = bare("✕ [API Error: Connection error.]", "", ...trace);
      const at = { ...cursorIn(rows.length - 3), tinted: (y: number) => y === 0 };
      expect(facts("generic", rows, null, at).error).toMatchObject({ cause: "api" });
      expect(facts("generic", [...rows.slice(0, 2), "It is mended.", ...rows.slice(5)], null, at)).not.toHaveProperty(
        "error",
      );
    });

    it("tell an error beside a bar in its colour, and no words that have none", () => {
      const rows = bare("  ┃  Authentication required: your credentials were rejected. Run /login.");
      const at = cursorIn(rows.length - 3);
      expect(facts("generic", rows, true, at).error).toMatchObject({ cause: "auth" });
      expect(facts("generic", rows, false, { ...at, redFrame: () => false })).not.toHaveProperty("error");
      const printed = bare(
        "  ┃  $ cat log.txt",
        "  ┃",
        "  ┃  Authentication required: your credentials were rejected.",
      );
      expect(facts("generic", printed, true, cursorIn(printed.length - 3))).not.toHaveProperty("error");
    });

    it("tell a tool by the clock that runs in its own block, and a model that thinks is none", () => {
      const rows = (what: string) => bare(" $ npm test", "", ` ${what} 12.5s`, "", " ⠴ Working...");
      const seen = (what: string) =>
        readFacts(
          compileProfile(profileFor("generic")),
          { ...UNKNOWN, rows: rows(what).map(rowOf), ...cursorIn(rows(what).length - 3) },
          { at: AT, until: () => undefined, ticking: ({ text }) => /12\.5s|⠴/.test(text) },
        );
      expect(seen("Elapsed")).toMatchObject({ busy: true, tool: { class: "shell", subject: "$ npm test" } });
      expect(seen("Thinking")).not.toHaveProperty("tool");
    });

    it("tell a tool by its call, as long as nothing but a word with dots hangs below it", () => {
      const call = "○ Bash(npm test)";
      const tool = { class: "shell", subject: "Bash(npm test)" };
      expect(stranger(bare("● I'll look.", "", call))).toMatchObject({ tool });
      expect(stranger(bare(call, "  ⎿ Executing..."))).toMatchObject({ tool });
      expect(stranger(bare(call, "  ⎿ all passed"))).not.toHaveProperty("tool");
      expect(stranger(bare("● It is done (npm test)"))).not.toHaveProperty("tool");
    });

    it("tell that it works by a stroke that turns before a clock and a key, and not by the row of a table", () => {
      expect(stranger(bare("  / Computing... (9s · ↑ 92 tokens · esc to interrupt)"))).toMatchObject({
        busy: true,
        tokens: 92,
      });
      expect(stranger(bare("  | esc to interrupt | stops it |"))).toMatchObject({ busy: false });
    });

    it("tell a failure that it states in red or in grey, and none in the colour of a reply", () => {
      const rows = bare("I'll look.", "", "Error: 401 Incorrect API key.");
      const drawn = (tinted: boolean, muted: boolean) =>
        facts("generic", rows, tinted, { ...cursorIn(rows.length - 3), muted: () => muted });
      expect(drawn(true, false)).toMatchObject({ error: { cause: "auth" } });
      expect(drawn(false, true)).toMatchObject({ error: { cause: "auth" } });
      expect(drawn(false, false)).not.toHaveProperty("error");
    });
  });

  it("of a tool that is named to make a pattern try for ever are read like any other", () => {
    const name = `npm test ${"1s ".repeat(36)}x`;
    expect(facts("generic", stranger(`  ⊷ ${name}`, "", "  ⠼ Warming up... (9s · esc to cancel)"))).toMatchObject({
      tool: { subject: name.slice(0, 120) },
    });
  });

  it("take an error row only in the program's own colour", () => {
    const rows = claude("  ⎿  API Error: 500 internal server error");
    expect(facts("claude", rows, true)).toMatchObject({ error: { cause: "api" } });
    expect(facts("claude", rows, false)).not.toHaveProperty("error");
  });

  it("show a command as running as long as its mark turns", () => {
    const ran = opencode(
      "  ┃",
      "  ┃  $ npm test",
      "  ┃",
      "  ┃  3 tests passed",
      "  ┃",
      "",
      "     ▣  Build · Some Model",
    );
    expect(facts("opencode", ran)).not.toHaveProperty("tool");
  });

  it("know an error behind what the program asks for", () => {
    const rows = claude("● Please run /login · API Error: 401 invalid key", "", "✻ Cogitated for 2s");
    expect(facts("claude", rows, true)).toMatchObject({ error: { cause: "auth" } });
  });

  it("do not read an error that stands further up", () => {
    const rows = claude("  ⎿  API Error: 500 internal server error", "", "⏺ Fixed it, all tests pass.");
    expect(facts("claude", rows, true)).not.toHaveProperty("error");
  });

  it("leave the status line out of the reply", () => {
    const at = (n: number) => facts("claude", claude("⏺ Reading.", "", `✢ Baking… (${n}s)`)).reply;
    expect(at(3)).toBe(at(4));
    expect(facts("claude", claude("⏺ Reading more.", "", "✢ Baking… (3s)")).reply).not.toBe(at(3));
  });

  it("of an empty screen are none", () => {
    expect(facts("claude", ["", "", ""])).toMatchObject({ busy: null, composer: "hidden", tail: [] });
  });
});

describe("rows of text", () => {
  it("end at the lowest that is not blank", () => {
    expect(
      [
        ["a", "", " "],
        ["", ""],
      ].map((rows) => footOf(rows.map(rowOf))),
    ).toEqual([0, -1]);
  });

  it("are joined without frames, rules and blanks", () => {
    expect(joinRows(["╭────────╮", "│ one    │", "", "│ two    │", "╰────────╯"].map(rowOf))).toBe("one\ntwo");
  });

  it.each(["⠏ Thinking... (esc to cancel, 12s)", "  ⠏ A joke of the day (1m 4s · ↓ 2.1k tokens · esc to cancel)"])(
    "say of a stranger that counts as Gemini CLI does that it tries again without a word: %s",
    (row) => {
      expect(facts("qwen", stranger(row))).toMatchObject({ busy: true, retriesSilently: true });
    },
  );

  it("say so of no other stranger", () => {
    const row = "⠏ Thinking... (12s · esc to interrupt)";
    expect(facts("some-program", stranger(row)).busy).toBe(true);
    expect(facts("some-program", stranger(row)).retriesSilently).toBeUndefined();
  });

  it("are busy where a stranger's spinner stands beside what it does, or a moon", () => {
    const above = (row: string) => facts("some-program", stranger("● I look.", "", row)).busy;
    expect([" ⠙ Working… · Tip: a word", "⠋ Thinking...", "🌓 · Tip: another", "🌔"].map(above)).toEqual(
      Array(4).fill(true),
    );
    expect(["⠙ is a letter of Braille", "Working… hours", "🌞 Good morning"].map(above)).toEqual(Array(3).fill(false));
  });

  it("are busy where a stranger says so below its composer, and nowhere else", () => {
    const below = (foot: string) => facts("some-program", ["● I look.", "", RULE, "❯ ", RULE, foot]).busy;
    expect(["● Working esc esc edit prompt", "○ Thinking · 1.5 KiB"].map(below)).toEqual([true, true]);
    expect(["  Working directory: ~/a", "● idle"].map(below)).toEqual([false, false]);
    expect(["∿ Waiting for it...  Esc to cancel", "a/b · 3s · esc to interrupt"].map(below)).toEqual([true, true]);
    const keys = ["Type / for commands • ↑↓ for history • Esc/Ctrl+C to interrupt", "? for help · esc to cancel"];
    expect(keys.map(below)).toEqual([false, false]);
    expect(facts("some-program", stranger("● Working on it was easy.")).busy).toBe(false);
  });

  it.each([
    [
      "as a message",
      ["⏺ Read(a.ts)", "  ⎿ 3 lines", "", "⏺ Sorry, I encountered an error: 401 Incorrect API key."],
      "auth",
    ],
    [
      "in plain words",
      ["Ran into this error: Server error (503): Overloaded.", "", "Please retry if you think so."],
      "api",
    ],
    ["behind a sign", ["    agent", "    ⚠️  Network error while contacting it: ECONNREFUSED"], "unreachable"],
    [
      "as its provider did",
      ["⚠ {", '    "error": {', '      "message": "401 Incorrect API key."', "    }", "  }"],
      "auth",
    ],
    ["that it does not know", ["Model returned empty response. It may be anything."], "api"],
    ["where all is indented", ["  ✦ I look.", "", "  ✕ [API Error: 401 Incorrect API key.]"], "auth"],
  ])("are an error that a stranger tells %s", (_, above, cause) => {
    expect(facts("some-program", stranger(...above), cause === "auth").error?.cause).toBe(cause);
    expect(facts("some-program", stranger(...above, "", "● It is mended now."), false).error).toBeUndefined();
  });

  it("are read above the row that names who spoke, and beside a red bar", () => {
    const signed = ["  ┃", "  ┃  Incorrect API key.", "  ┃", "", "     ▣  Build · Some Model · 1m 15s"];
    expect(facts("some-program", stranger(...signed), false, { redFrame: () => true }).error?.cause).toBe("auth");
    expect(facts("some-program", stranger(...signed), false, { redFrame: () => false }).error).toBeUndefined();
    const asks = ["✓ Read a.ts", "", "   Which of the two do you want me to use?", "", "     ▣  Build · Some Model"];
    expect(facts("some-program", stranger(...asks)).closing).toBe("question");
  });

  it.each([
    ["further down in a message", ["● The log has this:", "  API error: 401 Incorrect API key."]],
    [
      "in the middle of a paragraph",
      ["The server answered, and the log has a line of it:", "API error: 401 Incorrect API key."],
    ],
    ["in a sentence", ["● When I ran into an error: 401 from the registry, I logged in."]],
  ])("are no error that a stranger speaks of %s", (_, above) => {
    expect(facts("some-program", stranger(...above), false, { muted: () => false }).error).toBeUndefined();
  });

  it("are masked where they move by nature", () => {
    const masked = (text: string) => maskRow(rowOf(text));
    expect(masked("⠋ Running 3s")).toBe(masked("⠙ Running 4s"));
    expect(masked("⊶ Shell npm test 59s")).toBe(masked("⊷ Shell npm test 1m 0s"));
    expect(masked("│(     ●)  Thinking")).toBe(masked("│(   ●  )  Thinking.."));
    expect(masked("● Wrote 3 files")).not.toBe(masked("● Wrote 4 files"));
  });
});
