import { describe, expect, it } from "vitest";
import { facts, RULE, stranger } from "../../../test/support/screen-facts.js";
import type { ScreenText } from "./screen-text.js";

describe("the facts of an unknown program's screen", () => {
  describe("without any sign", () => {
    const bare = (...above: string[]) => [...above, "", RULE, "", RULE, "~/project (main)"];
    const cursorIn = (y: number) => ({ cursor: (row: number) => row === y });
    const stranger = (rows: string[], backed: number[] = []) =>
      facts("generic", rows, null, { ...cursorIn(rows.length - 3), backed: (y) => backed.includes(y) });

    it("include the composer between two rules, or in a box, with the cursor", () => {
      expect(stranger(bare("Done."))).toMatchObject({ composer: "empty", busy: false });
      const box = ["Done.", "╭──────────╮", "│ ● ▋Ask anything  │", "╰──────────╯", "  [auto]"];
      expect(facts("generic", box, null, cursorIn(2))).toMatchObject({ composer: "empty" });
      expect(facts("generic", box, null, cursorIn(0))).toMatchObject({ composer: "hidden" });
      expect(facts("generic", box)).toMatchObject({ composer: "hidden" });
    });

    it("include its last message, which is neither a tool's output nor text with a background of its own", () => {
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

    it("include its last message without its time, its cost and its scroll position", () => {
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

    it("include the composer by a sign of the program's own: before grey words, and from then on with a draft", () => {
      const signs = new Set<string>();
      const see = (row: string, drawn: Partial<ScreenText>) =>
        facts("generic", ["Done.", row], null, drawn, { signs }).composer;
      const here = (row: number) => row === 1;
      expect(see("🪿 and also", { cursor: here })).toBe("hidden");
      expect(see("🪿 Enter to send", { cursor: here, ghost: here })).toBe("empty");
      expect(see("🪿 and also", { cursor: here })).toBe("draft");
      expect(see("🪿 and also", {})).toBe("hidden");
      expect(see("🦆 and also", { cursor: here })).toBe("hidden");
    });

    it("include the composer by a common sign only in a frame or with the cursor behind it", () => {
      const signs = new Set<string>();
      const see = (rows: string[], cursor: number | null) =>
        facts("generic", rows, null, { cursor: (y) => y === cursor, ghost: () => false }, { signs }).composer;
      for (const sign of [">", "*", "!", "→"]) {
        expect(see([`${sign} pkg@1.0.0 build`, "", "Processing file 42 of 100..."], 3)).toBe("hidden");
        expect(see([`${sign} a quotation that ends the reply`], 0)).toBe("hidden");
      }
      expect(see([RULE, "> and also", RULE], 5)).toBe("draft");
      expect(see(["Done.", "> "], 1)).toBe("empty");
      expect(see(["Done.", "> and also"], 1)).toBe("draft");
      expect(see(["Done.", "> and also", "  on two lines"], 2)).toBe("draft");
      expect(see(["> and also", "The answer to it"], 1)).toBe("hidden");
      expect(facts("generic", ["Done.", "> and also"]).composer).toBe("draft");
    });

    it("include the composer by a corner below a status line, with the cursor behind it", () => {
      const see = (row: string, y = 2) => facts("generic", ["Done.", "", row], null, cursorIn(y)).composer;
      expect(["╰─", "╰─ and also", "╰──────────────╯"].map((row) => see(row))).toEqual(["empty", "draft", "hidden"]);
      expect(see("╰─ 3 lines", 0)).toBe("hidden");
    });

    it("include a retry from its remark below an error, but not from a provider's words", () => {
      const seen = (row: string) => facts("generic", bare(row), true, cursorIn(3));
      expect(seen("✕ Server error: 503 overloaded. (retry in 5s)").retry?.infra).toBe("overload");
      expect(seen("✕ Error: 503 overloaded. Please retry in 5s.").error?.cause).toBe("api");
    });

    it("include a retry by the attempt number alone", () => {
      const rows = bare("    ⠧ Connection failed | Retrying (attempt 5)... 1.9s");
      const seen = facts("generic", rows, null, cursorIn(rows.length - 3), {
        ticking: ({ text }) => text.includes("⠧"),
      });
      expect(seen.retry).toMatchObject({ attempt: 5, infra: "refused" });
    });

    it("include a retry by its number in the last line", () => {
      const seen = facts("generic", ["begins", "retry #2 in 3024ms, 429, Too Many Requests"], null, cursorIn(2));
      expect(seen.retry).toMatchObject({ infra: "rate", delayMs: 3024 });
      expect(facts("generic", ["retry #2 in 3s is the second one", "ends"], null, cursorIn(2))).not.toHaveProperty(
        "retry",
      );
    });

    it.each([
      ["Rate limited, trying again in 20s", { infra: "rate", delayMs: 20_000 }],
      ["503 Service Unavailable: backing off for 3.5 seconds", { infra: "overload", delayMs: 3500 }],
      ["Attempt 2 of 5 failed (429 Too Many Requests), next attempt in 8s", { infra: "rate", delayMs: 8000 }],
      ["429 Too Many Requests. Waiting 20s before the next request", { infra: "rate" }],
    ])("include a retry in other words in the last line: %s", (row, retry) => {
      expect(facts("generic", ["begins", row], null, cursorIn(2)).retry).toMatchObject(retry);
      expect(facts("generic", [row, "ends"], null, cursorIn(2))).not.toHaveProperty("retry");
    });

    it("include an error above its stack trace", () => {
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

    it("include an error beside a bar in its colour, but not words without a colour", () => {
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

    it("include a tool by the running clock in its own block, but not a thinking model", () => {
      const rows = (what: string) => bare(" $ npm test", "", ` ${what} 12.5s`, "", " ⠴ Working...");
      const seen = (what: string) =>
        facts("generic", rows(what), null, cursorIn(rows(what).length - 3), {
          ticking: ({ text }) => /12\.5s|⠴/.test(text),
        });
      expect(seen("Elapsed")).toMatchObject({ busy: true, tool: { class: "shell", subject: "$ npm test" } });
      expect(seen("Thinking")).not.toHaveProperty("tool");
    });

    it("include a tool by its call, as long as only a word with dots is below it", () => {
      const call = "○ Bash(npm test)";
      const tool = { class: "shell", subject: "Bash(npm test)" };
      expect(stranger(bare("● I'll look.", "", call))).toMatchObject({ tool });
      expect(stranger(bare(call, "  ⎿ Executing..."))).toMatchObject({ tool });
      expect(stranger(bare(call, "  ⎿ all passed"))).not.toHaveProperty("tool");
      expect(stranger(bare("● It is done (npm test)"))).not.toHaveProperty("tool");
    });

    it("show work by a turning stroke before a clock and a key, but not by the row of a table", () => {
      expect(stranger(bare("  / Computing... (9s · ↑ 92 tokens · esc to interrupt)"))).toMatchObject({
        busy: true,
        tokens: 92,
      });
      expect(stranger(bare("  | esc to interrupt | stops it |"))).toMatchObject({ busy: false });
    });

    it("include a failure in red or in grey, but not in the colour of a reply", () => {
      const rows = bare("I'll look.", "", "Error: 401 Incorrect API key.");
      const drawn = (tinted: boolean, muted: boolean) =>
        facts("generic", rows, tinted, { ...cursorIn(rows.length - 3), muted: () => muted });
      expect(drawn(true, false)).toMatchObject({ error: { cause: "auth" } });
      expect(drawn(false, true)).toMatchObject({ error: { cause: "auth" } });
      expect(drawn(false, false)).not.toHaveProperty("error");
    });
  });
  it.each(["⠏ Thinking... (esc to cancel, 12s)", "  ⠏ A joke of the day (1m 4s · ↓ 2.1k tokens · esc to cancel)"])(
    "include a silent retry for a program that counts as Gemini CLI does: %s",
    (row) => {
      expect(facts("qwen", stranger(row))).toMatchObject({ busy: true, retriesSilently: true });
    },
  );

  it("do not include one for any other unknown program", () => {
    const row = "⠏ Thinking... (12s · esc to interrupt)";
    expect(facts("some-program", stranger(row)).busy).toBe(true);
    expect(facts("some-program", stranger(row)).retriesSilently).toBeUndefined();
  });

  it("are busy if a spinner or a moon is beside the activity", () => {
    const above = (row: string) => facts("some-program", stranger("● I look.", "", row)).busy;
    expect([" ⠙ Working… · Tip: a word", "⠋ Thinking...", "🌓 · Tip: another", "🌔"].map(above)).toEqual(
      Array(4).fill(true),
    );
    expect(["⠙ is a letter of Braille", "Working… hours", "🌞 Good morning"].map(above)).toEqual(Array(3).fill(false));
  });

  it("are busy if the program shows it below its composer, and nowhere else", () => {
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
      "as its provider words it",
      ["⚠ {", '    "error": {', '      "message": "401 Incorrect API key."', "    }", "  }"],
      "auth",
    ],
    ["of an unknown kind", ["Model returned empty response. It may be anything."], "api"],
    ["in indented output", ["  ✦ I look.", "", "  ✕ [API Error: 401 Incorrect API key.]"], "auth"],
  ])("are an error that the program reports %s", (_, above, cause) => {
    expect(facts("some-program", stranger(...above), cause === "auth").error?.cause).toBe(cause);
    expect(facts("some-program", stranger(...above, "", "● It is mended now."), false).error).toBeUndefined();
  });

  it("are read above the row that names the speaker, and beside a red bar", () => {
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
  ])("are not an error if the program mentions one %s", (_, above) => {
    expect(facts("some-program", stranger(...above), false, { muted: () => false }).error).toBeUndefined();
  });
});
