import { describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { type CompiledProfile, compileProfile } from "./compiled.js";
import * as composer from "./composer.js";
import * as dialog from "./dialog.js";
import { rowOf } from "./row.js";

const findComposer = (profile: CompiledProfile, rows: string[]) => composer.findComposer(profile, rows.map(rowOf));
const findDialog = (profile: CompiledProfile, rows: string[], found: composer.Composer | null = null) =>
  dialog.findDialog(profile, rows.map(rowOf), found);
const generic = compileProfile(profileFor("some-program"));
const claude = compileProfile(profileFor("claude"));

describe("a question in the last line of a program without dialogs", () => {
  it.each([
    ["Do you want to proceed? [y/N] ", "confirmation"],
    ["Overwrite config.json (y/n)?", "confirmation"],
    ["Remove it? [yes/no]:", "confirmation"],
    ["Add it to the list (recommended)? (Y)es/(N)o [Yes]:", "confirmation"],
    ["Press any key to continue . . .", "confirmation"],
    ["Press Enter to continue or Ctrl+C to abort...", "confirmation"],
    ["Hit [Enter] to start the next step:", "confirmation"],
    ["When you are done, press return", "confirmation"],
    ["Are you sure you want to continue connecting (yes/no/[fingerprint])? ", "confirmation"],
    ["Apply it? [(y)es, (n)o]: ", "confirmation"],
    ["Would you like to log in? [(y)es, (n)o]: ", "login"],
    ["Username for 'https://example.com': ", "login"],
    ["build login: ", "login"],
    ["Enter your API key: ", "login"],
    ["[sudo] password for dev: ", "login"],
    ["Enter passphrase for key '/home/dev/.ssh/id_ed25519':", "login"],
  ])("is recognised: %s", (row, prompt) => {
    expect(findDialog(generic, ["some output", row])).toMatchObject({ prompt, question: row.trim() });
  });

  it.each([
    "if (y/n) { return }",
    "the password: it is in the vault",
    "Password: hunter2",
    "Should it be (y/n) or not, who knows",
    "press enter to continue was the message",
  ])("is not recognised if the text continues: %s", (row) => {
    expect(findDialog(generic, ["some output", row])).toBeNull();
  });

  it("counts below the echo of typed text, which looks like a composer", () => {
    const rows = ["> fix it", "", "Add a.py to the chat? (Y)es/(N)o [Yes]: "];
    expect(findComposer(generic, rows)).toMatchObject({ bottom: 0 });
    expect(findDialog(generic, rows, findComposer(generic, rows))).toMatchObject({ prompt: "confirmation" });
    const asked = [...rows, "", "> "];
    expect(findDialog(generic, asked, findComposer(generic, asked))).toBeNull();
  });

  it("counts only at the cursor if the program prints lines", () => {
    const at = (row: string, x: number, y = 1) =>
      dialog.findDialog(generic, ["some output", row].map(rowOf), null, { x, y })?.prompt ?? null;
    expect(at("Proceed? [y/N]", 15)).toBe("confirmation");
    expect(at("Proceed? [y/N]", 0, 2)).toBeNull();
    expect(at("What is your name?", 19)).toBe("input");
    expect(at("What is your name?", 18)).toBeNull();
    expect(at("package name: (demo)", 21)).toBe("input");
    expect(at("? Project name: demo", 21)).toBe("input");
    expect(at("What now [commit/edit] (commit):", 33)).toBe("input");
    expect(at("Which port should I use (3000):", 32)).toBe("input");
    expect(at("Running the tests:", 19)).toBeNull();
    expect(at("Progress [3/10]:", 17)).toBeNull();
  });

  it("is a dialog if its answers are side by side behind round signs", () => {
    const rows = ["◆  Use this message?", "│  ● Yes / ○ No", "└"];
    expect(findDialog(generic, rows)).toMatchObject({
      prompt: "confirmation",
      question: expect.stringContaining("Use"),
    });
    expect(findDialog(generic, ["│  ● Red / ○ Blue", "└"])).toBeNull();
  });

  it("counts only in the last line", () => {
    expect(findDialog(generic, ["Proceed? [y/N]", "y", "done"])).toBeNull();
  });

  it("is a dialog below an echo by the program's own words, but never below a composer with chrome", () => {
    const { profile } = compileProfile(profileFor("codex"));
    const asks = { prompt: "confirmation", when: "\\[y/N\\]\\s*$" } as const;
    const own = compileProfile({ ...profile, dialogs: [asks] });
    const rows = ["› save it", "", "Overwrite house.svg? [y/N] "];
    expect(findDialog(own, rows, findComposer(own, rows))).toMatchObject({ question: "Overwrite house.svg? [y/N]" });
    const chrome = ["› save it", "", "  ? for shortcuts"];
    expect(findComposer(own, chrome)).toMatchObject({ bottom: 0 });
    expect(findDialog(own, chrome, findComposer(own, chrome))).toBeNull();
  });

  it("is not a dialog of a program that has dialogs of its own", () => {
    expect(findDialog(claude, ["some output", "Proceed? [y/N]"])).toBeNull();
  });
});

describe("a dialog identified by its structure", () => {
  it("has a selected option with a numbered sibling", () => {
    const rows = ["Allow it to run?", "", " ❯ 1. Yes", "   2. No"];
    expect(findDialog(generic, rows)).toMatchObject({ prompt: "permission", question: "Allow it to run?" });
  });

  it("has answers behind round signs, one of them selected, with or without a status line below", () => {
    const framed = [
      "│ Allow execution?",
      "│ ● Yes, allow once   │",
      "│ ○ Yes, always       │",
      "│ ○ No (esc)          │",
    ];
    expect(findDialog(generic, [...framed, "╰──────────╯", "", "⠏ Waiting for you..."])).toMatchObject({
      prompt: "permission",
    });
    expect(findDialog(generic, ["◆  May it run?", "│  ○ Allow", "│  ● Deny", "└"])).not.toBeNull();
  });

  it.each([
    ["tasks", ["● Run the tests", "○ Mend the total", "○ Write it down"]],
    ["answers of one kind", ["● Yes, once", "○ Yes, always"]],
    ["answers in two columns", ["● Yes, once", "  ○ No"]],
    ["two selected answers", ["● Yes, once", "● No"]],
  ])("is not found in a list of round signs: %s", (_, rows) => {
    expect(findDialog(generic, rows)).toBeNull();
  });

  it("has options without numbers only if the keys are named below", () => {
    const options = ["Trust this folder?", " ❯ No, exit", "   Yes, I trust it"];
    expect(findDialog(generic, [...options, "", " Enter to confirm · Esc to cancel"])).toMatchObject({
      prompt: "trust",
    });
    expect(findDialog(generic, options)).toBeNull();
  });

  it("has yes and no without key hints, in a frame or each behind its sign", () => {
    const framed = ["╭──────────╮", "│ Run it?  │", "│ ❯ Yes    │", "│   No     │", "╰──────────╯"];
    expect(findDialog(generic, framed)).toMatchObject({ question: "Run it?" });
    const signed = ["Do you want to run it?", "", "❯ ✓ Yes, run it", "  ✗ No, cancel", "", "Press Escape to cancel"];
    expect(findDialog(generic, signed)).toMatchObject({ question: "Do you want to run it?" });
    expect(findDialog(generic, ["❯ Yes, run it, and", "  no more than that"])).toBeNull();
    expect(findDialog(generic, ["│ ● Yes.       │", "│   No change. │"])).toBeNull();
  });

  it("has its keys above the options if they include the keys to move", () => {
    const menu = [
      "Trust this folder?",
      "↑↓ navigate · Enter select",
      "",
      " ❯ Trust it",
      "   Remembered.",
      "",
      "   Leave",
    ];
    expect(findDialog(generic, ["─".repeat(40), ...menu, "─".repeat(40)])).toMatchObject({ prompt: "trust" });
    expect(findDialog(generic, menu)).toBeNull();
    const reply = ["Press ↑↓ and Enter.", "", "─".repeat(40), "❯ a draft of", "  two rows"];
    expect(findDialog(generic, reply)).toBeNull();
  });

  it("has its answers side by side, each behind its key", () => {
    const asked = [
      "Approve tool call?",
      "  $ rm -rf build",
      "",
      "  [y] Approve   [n] Deny",
      "",
      " model-1 $0.00",
      " proj",
    ];
    expect(findDialog(generic, asked)).toMatchObject({ prompt: "permission" });
    expect(findDialog(generic, ["a report", "  [q] Quit   [h] Help", " model-1"])).toBeNull();
    const answered = [...asked, "❯ "];
    expect(findDialog(generic, answered, findComposer(generic, answered))).toBeNull();
  });

  it("has options without numbers if each names its key", () => {
    const box = (...rows: string[]) => [
      "╭──────────────╮",
      ...rows.map((row) => `│  ${row.padEnd(60)}│`),
      "╰──────────────╯",
    ];
    const options = box(
      "Would you like to continue?",
      "",
      "> Continue (tab)",
      "  Continue + don't ask again (shift+tab)",
      "  No (esc)",
    );
    expect(findDialog(generic, [...options, "  ~/project"])).toMatchObject({ question: "Would you like to continue?" });
    expect(findDialog(generic, box("Would you like to continue?", "", "> Continue (tab)", "  Or not"))).toBeNull();
  });

  it("has numbers without any sign if the keys are the last row of the screen", () => {
    const options = [
      "Do you want to proceed?",
      "",
      "   1. Yes",
      "   2. No",
      "",
      "  ↑↓ navigate • Enter select • Esc cancel",
    ];
    expect(findDialog(generic, options)).toMatchObject({ prompt: "permission", question: "Do you want to proceed?" });
    expect(findDialog(generic, [...options, "", "Then it goes on."])).toBeNull();
  });

  it("has options side by side if its title names the question and the keys are the last row of the screen", () => {
    const rows = [
      "△ Permission required",
      " $ npm test",
      "",
      " Allow once   Allow always   Reject      ⇆ select  enter confirm",
    ];
    expect(findDialog(generic, rows)).toMatchObject({ prompt: "permission" });
    expect(
      findDialog(generic, [...rows.slice(1, 3), " Once   Always   Never      ⇆ select  enter confirm"]),
    ).toBeNull();
    expect(findDialog(generic, [...rows, "", "> "], findComposer(generic, [...rows, "", "> "]))).toBeNull();
  });

  it("is not a list with one number", () => {
    expect(findDialog(generic, ["Steps:", " ● 1. Build it", "   and look"])).toBeNull();
  });
});
