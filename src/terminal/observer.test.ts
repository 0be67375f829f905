import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Signal } from "../core/signal.js";
import { profileFor } from "../programs/registry.js";
import { CHECK_MS } from "../readers/terminal/terminal.js";
import { Observer } from "./observer.js";
import { Ring } from "./ring.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function observerOf(ring: Ring) {
  const signals: Signal[] = [];
  const observer = new Observer({
    profile: profileFor("claude-code"),
    previewLines: 5,
    marker: "",
    cols: 80,
    rows: 24,
    ring,
    now: Date.now,
    signal: (signal) => signals.push(signal),
    failed: (error) => {
      throw error;
    },
  });
  return { observer, signals, readings: () => signals.filter(({ kind }) => kind === "screen").length };
}

const MEGABYTE = 1024 * 1024;
const screenful = (text: string): Buffer => Buffer.from(`\u001b[2J\u001b[H${text}\r\n`);

describe("the observer of a host", () => {
  it("reads much output in pieces, and lets the process do other work between them", () => {
    const ring = new Ring(MEGABYTE);
    const { observer, readings } = observerOf(ring);
    ring.push(Buffer.from("a line of a build\r\n".repeat(20_000)));
    ring.push(screenful("last words"));
    vi.advanceTimersByTime(CHECK_MS);
    let turns = 0;
    // Only the rest of the check is due now.
    while (observer.isWatching && vi.getTimerCount() > 1) {
      vi.advanceTimersToNextTimer();
      turns++;
    }
    expect(turns).toBeGreaterThanOrEqual(4);
    vi.advanceTimersByTime(CHECK_MS * 4);
    expect(readings()).toBeGreaterThan(0);
    expect(observer.skippedBytes).toBe(0);
    observer.stop();
  });

  it("ends a check although output keeps coming", () => {
    const ring = new Ring(MEGABYTE);
    const { observer, readings } = observerOf(ring);
    const flood = screenful("flood ".repeat(200_000));
    ring.push(flood);
    vi.advanceTimersByTime(CHECK_MS);
    for (let n = 0; n < 100 && vi.getTimerCount() > 1; n++) {
      ring.push(flood);
      vi.advanceTimersToNextTimer();
    }
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(CHECK_MS * 8);
    expect(readings()).toBeGreaterThan(0);
    expect(observer.skippedBytes).toBeGreaterThan(0);
    observer.stop();
  });

  it("knows the screen after all output at once when asked, also within a check", () => {
    const ring = new Ring(MEGABYTE);
    const { observer } = observerOf(ring);
    ring.push(Buffer.from("a line of a build\r\n".repeat(20_000)));
    vi.advanceTimersByTime(CHECK_MS);
    ring.push(Buffer.from("\u001b[7;9H"));
    expect(observer.cursor()).toEqual({ row: 7, column: 9 });
    observer.stop();
    vi.advanceTimersByTime(CHECK_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
