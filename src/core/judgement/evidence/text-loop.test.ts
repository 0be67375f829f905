import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextTail, endText, feedText, type TextChange } from "./text-loop.js";

const changesOf = (pieces: string[]): TextChange[] => {
  const tail = createTextTail();
  return [...pieces.flatMap((piece) => feedText(tail, piece)), ...endText(tail)];
};
const isLoop = (text: string): boolean => changesOf([text]).some((change) => change !== null);
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const PROSE =
  "The parser keeps its own buffer and hands out whole records. When a line is longer than the buffer it is cut, and the " +
  "rest is counted. Every reader above it can therefore rely on bounded input, which is what the tests below check first. ";

describe("repeating text", () => {
  it.each([
    ["a sentence", "I will check the configuration once more. ".repeat(12)],
    ["a short phrase", "Thinking... Done. ".repeat(25)],
    ["a paragraph", PROSE.repeat(6)],
    ["several lines", "Nothing is left to do.\n  The turn is over.\n".repeat(12)],
    ["a chant of capitals", "QWERT".repeat(100)],
    ["a chant of digits", "98765".repeat(100)],
    ["a line after healthy prose", PROSE + "Wait, let me look again.\n".repeat(20)],
    ["a sentence after a code block", `\`\`\`\nlet a = 1;\n\`\`\`${"Now I run the tests again. ".repeat(20)}`],
    ["a statement that fills the window, even in a fence", `\`\`\`\n${"console.log(value + 1);\n".repeat(250)}`],
    ["six times the same at the end of a message", "Still going round in a ring. ".repeat(6)],
    ["letters beyond the basic plane", "𝒜𝒷𝒸 𝒹ℯ𝒻 ".repeat(60)],
  ])("is reported for %s", (_, text) => {
    expect(isLoop(text)).toBe(true);
  });

  it.each([
    ["prose", PROSE],
    ["emphasis", `That is very very very very good. ${PROSE}`],
    ["a repeat that recovers", `again and again and again and again and then ${PROSE}`],
    ["a ruler", "=".repeat(2000)],
    ["a drawn box", lines(60, () => "│──────────────│")],
    ["blanks", `a${" ".repeat(3000)}b`],
    ["empty lines", "\n".repeat(3000)],
    ["a list with a shared prefix", lines(60, (i) => `- src/components/widgets/shared/panel-${i * 7}.tsx is moved`)],
    ["a numbered list", lines(80, (i) => `${i}. the same text behind each number`)],
    ["a table", `| a | b |\n|---|---|\n${lines(60, () => "| yes | no |")}`],
    ["a table of numbers", lines(80, (i) => `| ${i} | ${i * i} | ${(i * 37) % 101} |`)],
    ["a matrix of zeros", lines(40, () => "0, 0, 0, 0, 0, 0, 0, 0,")],
    ["equal statements in a code block", `\`\`\`ts\n${"step(); total += 1; check(total);\n".repeat(25)}\`\`\`\n`],
    ["an ASCII drawing", lines(40, (i) => `${" ".repeat(i)}/\\${"_".repeat(40 - i)}`)],
    ["imports", lines(40, (i) => `import { part${i} } from "./parts/part${i}.js";`)],
  ])("is not reported for %s", (_, text) => {
    expect(isLoop(text)).toBe(false);
  });

  it.each([
    ["a short sentence", "I am ready. "],
    ["a short line", "I am ready\n"],
  ])("is reported for %s while the text continues", (_, block) => {
    expect(feedText(createTextTail(), block.repeat(15)).at(-1)).toMatchObject({ period: block.length });
  });

  it.each([
    ["eleven rows of a test's output", "ok\n".repeat(11)],
    ["a short sentence that is repeated eight times", "I am ready. ".repeat(8).trim().slice(0, 100)],
  ])("is not reported for %s", (_, text) => {
    expect(isLoop(text)).toBe(false);
  });

  it("is withdrawn once when other text follows", () => {
    const changes = changesOf(["Let me see. ".repeat(40), PROSE + PROSE.toUpperCase()]);
    expect(changes.map((change) => change === null)).toEqual([false, true]);
  });

  it("is reported with the block and its number of repeats", () => {
    const [change] = changesOf(["Let me see. ".repeat(40)]);
    expect(change).toMatchObject({ period: 12 });
    expect(change?.repeats).toBeGreaterThanOrEqual(10);
    expect(change?.preview).toContain("Let me");
  });

  it("gives the same verdict for any split of the text", () => {
    const part = fc.oneof(
      fc.constantFrom("```\n", "\n", "---\n", PROSE, "| a | b |\n", "~~~", "x".repeat(90)),
      fc.string({ maxLength: 40 }),
      fc
        .tuple(fc.string({ minLength: 1, maxLength: 40 }), fc.integer({ min: 2, max: 60 }))
        .map(([s, n]) => s.repeat(n)),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), cuts, (parts, sizes) => {
        const text = parts.join("");
        const pieces: string[] = [];
        for (let from = 0, i = 0; from < text.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          pieces.push(text.slice(from, from + size));
          from += size;
        }
        expect(changesOf(pieces)).toEqual(changesOf([text]));
      }),
      { numRuns: 300 },
    );
  });

  it("needs only a bounded tail", () => {
    const tail = createTextTail();
    for (let i = 0; i < 3000; i++) feedText(tail, `line ${i} of a long and healthy answer\n`);
    expect(tail.text.length).toBeLessThanOrEqual(6144);
  });
});
