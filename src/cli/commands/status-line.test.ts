import { describe, expect, it } from "vitest";
import type { LineView } from "../../daemon/views/line.js";
import { statusLineText } from "./status-line.js";

const line = (view: Partial<LineView>, isQuiet = false): string =>
  statusLineText(
    { ok: 0, limited: 0, until: null, recovering: 0, stalled: 0, acknowledged: 0, needs_you: [], more: 0, ...view },
    isQuiet,
  );
const asks = (name: string) => ({ name, why: "asks" });

describe("rouse status --line", () => {
  it("prints all agents in one short line", () => {
    expect(line({ ok: 3, needs_you: [asks("api-fix")] })).toBe("3 ok · 1 needs you: api-fix (asks)");
    const until = new Date(2026, 10, 15, 3, 10).toISOString();
    expect(line({ limited: 1, until, recovering: 2, acknowledged: 1 })).toBe(
      "1 limited until 03:10 · 2 recovering · 1 acknowledged",
    );
    expect(line({})).toBe("no agents");
  });

  it("prints nothing with --quiet unless an agent is stalled or needs the user", () => {
    expect(line({ ok: 3, limited: 1, recovering: 1, acknowledged: 1 }, true)).toBe("");
    expect(line({ ok: 3, needs_you: [asks("b")] }, true)).toBe("1 needs you: b (asks)");
    expect(line({ ok: 3, stalled: 1, needs_you: [asks("b")] }, true)).toBe("1 stalled · 1 needs you: b (asks)");
  });

  it("names three agents and counts the others", () => {
    const needs_you = ["a", "b", "c", "d"].map(asks);
    expect(line({ needs_you, more: 5 })).toBe("9 need you: a (asks), b (asks), c (asks) +6");
  });

  it("contains no character that tmux or a shell would interpret", () => {
    const name = "a#(id)#{pid}#[x]$(id)`id`%n%D{x}\\w!!'\"\u001b[31m\n;|&<>*?~^={}";
    const shown = line({ needs_you: [{ name, why: "as#ks" }] });
    expect(shown).toMatch(/^1 needs you: [\w. …-]+ \(as_ks\)$/);
    expect(line({ needs_you: [asks("größe-日本")] })).toContain("größe-日本");
  });
});
