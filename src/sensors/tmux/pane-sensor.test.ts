import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { profileFor } from "../../programs/registry.js";
import { PaneSensor } from "./pane-sensor.js";
import type { Pane } from "./panes.js";

const at = 1_700_000_000_000;
const pane = (given: Partial<Pane> = {}): Pane =>
  ({ id: "%1", cols: 60, rows: 10, cursorX: 0, cursorY: 0, title: hostname(), ...given }) as Pane;
const sensor = (given: Partial<Pane> = {}): PaneSensor =>
  new PaneSensor(profileFor("codex"), pane(given), { zone: "UTC" }, at);
const tails = (signals: Signal[]): (string[] | undefined)[] =>
  signals.flatMap((signal) => (signal.kind === "screen" ? [signal.reading.tail] : []));

describe("PaneSensor", () => {
  it("draws tmux's rows with colours that continue over rows, and drops the earlier content", () => {
    const one = sensor();
    one.check(pane(), "\u001b[31mold text that is longer\nold row", at);
    const signals = [1, 2, 3].flatMap((i) =>
      one.check(pane(), "\u001b[31mnew\n\u001b[0m\nrow \u000eqq\u000f", at + i * 500),
    );
    expect(tails(signals).at(-1)).toEqual(["new", "row ──"]);
  });

  it("sends no further signals while nothing changes", () => {
    const one = sensor();
    for (let i = 0; i < 12; i++) one.check(pane(), "same", at + i * 500);
    expect(one.check(pane(), "same", at + 6000)).toEqual([]);
  });

  it("reads a title that a program set, but not the initial host name", () => {
    const one = sensor();
    expect(one.check(pane(), "", at).filter((signal) => signal.kind === "status")).toEqual([]);
    const said = one.check(pane({ title: "⠋ proj" }), "", at + 500).filter((signal) => signal.kind === "status");
    expect(said).toMatchObject([{ source: "title", status: "working" }]);
  });

  it("reports the time without captures as one gap", () => {
    const one = sensor();
    one.check(pane(), "a", at);
    const back = one.check(pane(), "a", at + 60_000);
    expect(back[0]).toEqual({ kind: "gap", at: at + 60_000, source: "observer", from: at, to: at + 60_000 });
    expect(one.check(pane(), "a", at + 60_500).some((signal) => signal.kind === "gap")).toBe(false);
  });

  it("reads nothing from a pane that is too small, and continues when it has its size back", () => {
    const one = sensor();
    expect(one.check(pane({ cols: 1 }), "d\no\nn\ne", at)).toEqual([]);
    expect(one.blind).toMatch(/too small/);
    const signals = [1, 2].flatMap((i) => one.check(pane({ cols: 80, rows: 24 }), "done", at + i * 500));
    expect(one.blind).toBeNull();
    expect(tails(signals)).toEqual([["done"]]);
  });

  it("reads nothing from a pane that is larger than any terminal", () => {
    const one = sensor();
    expect(one.check(pane({ cols: 10_000, rows: 10_000 }), "x".repeat(10_000), at)).toEqual([]);
    expect(one.blind).toMatch(/too large/);
  });

  it("is not delayed by rows that order endless work", () => {
    const one = sensor();
    const rows = ["\u001b[2147483647L", "\u001b[2147483647Ia\u001b[536870912b", "\u009b2147483647M", "done"].join("\n");
    const signals = [0, 1, 2].flatMap((i) => one.check(pane({ cols: 80, rows: 24 }), rows, at + i * 500));
    expect(tails(signals).at(-1)?.at(-1)).toBe("done");
  });

  it("keeps its state within the pane for any rows", () => {
    const one = sensor();
    const rows = Array.from({ length: 500 }, () => `${"x".repeat(5000)}\u001b]7501;state=done\u0007`).join("\n");
    expect(() => one.check(pane({ title: "\u001b]0;" }), rows, at)).not.toThrow();
  });
});
