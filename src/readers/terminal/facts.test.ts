import { describe, expect, it } from "vitest";
import { facts, RULE, stranger } from "../../../test/support/screen-facts.js";
import { DEFAULTS } from "../../core/defaults.js";

const claude = (...above: string[]) => [...above, "", RULE, "❯ ", RULE, "  ? for shortcuts"];
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
  it("exclude the words of the previous turn, even without an empty row between them", () => {
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
    [
      "Gemini CLI at rest with a command in the background",
      "gemini",
      [
        "✦ The long test runs in the background.",
        "",
        RULE,
        " YOLO Ctrl+Y                     1 Background process",
        "▄".repeat(40),
        " *   Type your message",
        "▀".repeat(40),
      ],
      { busy: false, composer: "empty", background: 1 },
    ],
    ["Codex at work", "codex", codex("• Working (3s • esc to interrupt)"), { busy: true, elapsed: 3 }],
    ["Codex at rest", "codex", codex("• Done."), { busy: false, composer: "empty" }],
    [
      "an unknown program's tool without the clock and the keys beside its name",
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
      "an unknown program at work whose phrase is too long for the row",
      "generic",
      stranger("  ⠼I've seen things you people wouldn't believe (19s · ↑ 59 tokens · esc to", "      cancel)"),
      { busy: true, elapsed: 19, tokens: 59 },
    ],
    [
      "an unknown program's failure above a wrapped note, a hint at the far right and a mode with its key",
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
      "an unknown program's limit below its composer",
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
  ])("include %s", (_, agent, rows, expected) => {
    expect(facts(agent, rows)).toMatchObject(expected);
  });

  it("include a permission by its structure: options in the composer's place", () => {
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

  it("do not include a dialog that is quoted in a reply", () => {
    const quoted = claude("⏺ The screen shows:", "   Do you want to proceed?", "   ❯ 1. Yes", "     2. No");
    expect(facts("claude", quoted)).not.toHaveProperty("dialog");
  });

  it("are read quickly for a tool name that makes a pattern backtrack without end", () => {
    const name = `npm test ${"1s ".repeat(36)}x`;
    expect(facts("generic", stranger(`  ⊷ ${name}`, "", "  ⠼ Warming up... (9s · esc to cancel)"))).toMatchObject({
      tool: { subject: name.slice(0, 120) },
    });
  });

  it("include an error row only in the program's own colour", () => {
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

  it("include an error above the program's prompt for action", () => {
    const rows = claude("● Please run /login · API Error: 401 invalid key", "", "✻ Cogitated for 2s");
    expect(facts("claude", rows, true)).toMatchObject({ error: { cause: "auth" } });
  });

  it("do not include an error further up", () => {
    const rows = claude("  ⎿  API Error: 500 internal server error", "", "⏺ Fixed it, all tests pass.");
    expect(facts("claude", rows, true)).not.toHaveProperty("error");
  });

  it("leave the status line out of the reply", () => {
    const at = (n: number) => facts("claude", claude("⏺ Reading.", "", `✢ Baking… (${n}s)`)).reply;
    expect(at(3)).toBe(at(4));
    expect(facts("claude", claude("⏺ Reading more.", "", "✢ Baking… (3s)")).reply).not.toBe(at(3));
  });

  it("contain as many of the last lines as may be quoted", () => {
    const lines = Array.from({ length: 30 }, (_, n) => `  line ${n}`);
    const { tail } = facts("claude", claude("⏺ Reading.", ...lines));
    expect(tail).toHaveLength(DEFAULTS.output_preview_lines);
    expect([tail?.[0], tail?.at(-1)]).toEqual(["line 25", "line 29"]);
  });

  it("are empty for an empty screen", () => {
    expect(facts("claude", ["", "", ""])).toMatchObject({ busy: null, composer: "hidden", tail: [] });
  });
});
