import { describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { compileProfile } from "./compiled.js";
import { findComposer } from "./composer.js";
import { findDialog } from "./dialog.js";
import { rowOf } from "./row.js";

const generic = compileProfile(profileFor("some-program"));

/** The prompt that a screen with the cursor in this row shows; a row beyond the last one is below all text. */
function promptOf(rows: string[], cursor: number = rows.length, signs: string[] = []): string | null {
  const screen = ["Reviewing 3 files", ...rows].map(rowOf);
  const isCursorIn = (y: number): boolean => y === cursor + 1;
  const composer = findComposer(generic, screen, (y, what) => what === "cursor" && isCursorIn(y), new Set(signs));
  const context = { isComposer: composer !== null, cursor: isCursorIn, signs: new Set(signs) };
  return findDialog(generic, screen, composer ?? findComposer(generic, screen), null, context)?.prompt ?? null;
}

describe("a question of a prompt library", () => {
  it.each([
    ["a list with its keys in the question", ["? What now? (Use arrow keys)", "❯ Commit", "  Edit it", "  Cancel"], 3],
    ["a list with its keys below", ["? What now?", "❯ Commit", "  Edit it", "", "↑↓ navigate • ⏎ select"], 5],
    [
      "a list that is longer than its window",
      [
        "? Which type: Use arrow keys or type to search",
        "❯ feat:  A feature",
        "  fix:   A fix",
        "(Move up and down to see more)",
      ],
      0,
    ],
    ["a list with wide gaps", ["? What now? › - Use arrow-keys. Return to submit.", "❯   Commit", "    Cancel"], 0],
    ["boxes", ["? Which files? (<space> to select, and <enter>", " to proceed)", "❯◯ a.ts", " ◯ b.ts"], 3],
    ["boxes below instructions", ["? Files ›", "", "Instructions:", "    ↑/↓: Highlight", "◯   a.ts", "◯   b.ts"], 5],
    ["numbers", ["? What now?", "  1) Commit", "  2) Cancel", "  Answer:"], 3],
    ["round signs beside a bar", ["◆  What now?", "│  ● Commit (now)", "│  ○ Edit it", "└"], 4],
    ["boxes beside a bar", ["◆  Which files?", "│  ◻ a.ts", "│  ◻ b.ts", "└"], 4],
    ["round signs", ["❯ What now?", "● Commit", "○ Cancel"], 3],
    ["a list without any sign in its question", ["What now?", "❯ Commit", "  Cancel"], 3],
  ])("is found with answers to choose from: %s", (_, rows, cursor) => {
    expect(promptOf(rows, cursor)).toBe("confirmation");
  });

  it.each([
    ["a field beside a bar", ["◆  Which port?", "│  3000", "└"], 1],
    ["a field that was not valid", ["▲  Which port?", "│  abc", "└  Enter a number"], 1],
    ["a suggestion in its row", ["? Project name › demo"], 0],
    ["a hint in its row", ["? Use TypeScript? › no / yes"], 0],
    ["keys below it", ["? The name of the branch", "ctrl+t toggle visibility"], 0],
  ])("is found with an answer to type: %s", (_, rows, cursor) => {
    expect(promptOf(rows, cursor)).toBe("input");
  });

  it("is found with buttons", () => {
    const rows = [
      "┌────| Commit |────┐",
      "│ Use this message?            │",
      "│  <  Yes  > <   No    >  │",
      "└──────────────────┘",
    ];
    expect(promptOf(rows)).toBe("confirmation");
    expect(promptOf([rows[0] ?? "", "│  <  Red  > <  Blue  >  │", rows[3] ?? ""])).toBeNull();
  });

  it.each([
    ["is answered in its row", ["? What now? Commit", "→ Running it", "  step 1"], 3],
    ["has its answer below another sign", ["◇  Which port?", "│  3000", "└"], 3],
    ["was answered, and the program works", ["? What now?", "❯ Commit", "  ⠋ Running it"], 3],
    ["was answered, and the program prints", ["? What now?", "❯ Commit", "  Edit it", "Committed."], 4],
    ["is a remark beside a bar", ["◆  Committed", "│", "└  Done"], 3],
    ["is the list of keys of a program", ["? for shortcuts"], 0],
    ["is a row that the cursor has left", ["? Project name demo"], 1],
    ["is the heading of a list of tasks", ["What is left?", "◻ Write it", "◻ Test it"], 3],
    ["may be a reply above a draft", ["What now?", "❯ this one, and", "  that one"], 2],
    ["is above two commands", ["? What now", "> tsc -b", "> node ."], 3],
  ])("is not found if it %s", (_, rows, cursor) => {
    expect(promptOf(rows, cursor)).toBeNull();
  });

  it("is not found in a draft behind the sign of the program's input field", () => {
    const rows = ["What now?", "❯ this one, and", "  that one"];
    expect(promptOf(rows, 3)).toBe("confirmation");
    expect(promptOf(rows, 3, ["❯"])).toBeNull();
  });
});
