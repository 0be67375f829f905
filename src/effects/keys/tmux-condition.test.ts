import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conditionOf, paneNumbers } from "./tmux-condition.js";

const NUMBERS = "4242|0|0|0|0|110|34|2|30|1794732304";

describe("conditionOf", () => {
  it("puts no special character of the screen or of a program's name into a format", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.string({ unit: "binary" }), (lines, command) => {
        const rows = lines.map((line) => line.replaceAll("\n", " "));
        const condition = conditionOf({ numbers: NUMBERS, command, rows, top: 0, bottom: rows.length - 1 });
        const own = condition.replace(/#\{(?:C\/r:\^|m\/r:\^|==:|&&:|[a-z_]+\})|\$\}|\$,|[|,}]/g, "");
        expect(own).toMatch(/^[\w.*\u2500-\u259f❯›]*$/u);
      }),
      { numRuns: process.env.ROUSE_FULL === "1" ? 20_000 : 500 },
    );
  });

  it("identifies a composer row by the first row with the same shape", () => {
    const rows = ["❯ fix it", "", "─────", "❯ ", "─────"];
    const condition = conditionOf({ numbers: NUMBERS, command: "claude", rows, top: 2, bottom: 4 });
    expect(condition).toContain("#{C/r:^─────$}|#{C/r:^❯$}|#{C/r:^─────$}");
    expect(condition).toContain(`,${NUMBERS}|3|4|3}`);
    const odd = conditionOf({ numbers: NUMBERS, command: "claude", rows: ["❯\u00a0 "], top: 0, bottom: 0 });
    expect(odd).toContain("#{C/r:^❯.$},");
  });
});

it("a condition ignores the rows below the composer: a status line may change", () => {
  const rows = ["─────", "❯ ", "─────", "status"];
  const condition = conditionOf({ numbers: NUMBERS, command: "claude", rows, top: 0, bottom: 2 });
  expect(condition).toContain(`,${NUMBERS}|1|2|1}`);
  expect(condition).not.toContain("status");
});

describe("paneNumbers", () => {
  it.each([
    ["1|1|0|0|0|80|24|0|0|9", "the pane is dead"],
    ["1|0|1|0|0|80|24|0|0|9", "the pane is in copy mode"],
    ["1|0|0|1|0|80|24|0|0|9", "the pane does not accept input"],
    ["1|0|0|0|1|80|24|0|0|9", "the pane forwards keys to others (synchronize-panes)"],
    ["1|0|0|0|0|80|24|0|0|9", null],
  ])("of %s object: %s", (text, objection) => {
    expect(paneNumbers(` ${text}`)).toMatchObject({ text, objection, activeAt: null });
    expect(paneNumbers(`7 ${text}`)).toMatchObject({ activeAt: 9 });
  });

  it("are null for any other reply", () => {
    for (const reply of ["", "no", `1 ${NUMBERS}|1`, `1 ${NUMBERS}\n`]) expect(paneNumbers(reply)).toBeNull();
  });
});

it("a condition compares the pane's numbers, and at most 400 characters of a row", () => {
  const condition = conditionOf({ numbers: NUMBERS, command: "claude", rows: ["x".repeat(401)], top: 0, bottom: 0 });
  expect(condition).toContain("#{==:#{pane_pid}|#{pane_dead}|#{pane_in_mode}|");
  expect(condition).toContain(`^${"x".repeat(400)}.*$`);
  expect(condition).not.toContain("x".repeat(401));
});
