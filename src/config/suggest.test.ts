import { describe, expect, it } from "vitest";
import { otherNames, suggestKey, suggestName } from "./suggest.js";

const AGENTS = ["js", "loop.sh", "ask.sh", "hang.sh", "prints.sh", "worker-12"];

describe("the name that was probably meant", () => {
  it.each([
    ["hangg.sh", "hang.sh"],
    ["hnag.sh", "hang.sh"],
    ["prints", "prints.sh"],
    ["HANG.SH", "hang.sh"],
    ["worker-13", "worker-12"],
    ["as", "ask.sh"],
  ])("is found for a typo or a prefix: %s", (given, meant) => {
    expect(suggestName(given, AGENTS)).toBe(meant);
  });

  it.each(["", "a", "x", "ab", "\u{1f600}", "zzz.sh", "bash", "x".repeat(100)])(
    "is null if no name is similar: %j",
    (given) => {
      expect(suggestName(given, AGENTS)).toBeNull();
      expect(otherNames(given, AGENTS)).toBe(`available: ${AGENTS.join(", ")}`);
    },
  );

  it("is the nearest one, even if another name has the same prefix", () => {
    expect(suggestName("wrk", ["work", "wrk"])).toBe("wrk");
    expect(suggestName("health.idl", ["health.idle_timeout_minutes", "other"])).toBe("health.idle_timeout_minutes");
  });

  it("is found in the nearest section if the section is wrong", () => {
    const keys = ["journal.enabled", "watchdog.enabled", "watchdog.poll_interval_secs"];
    expect(suggestKey("watchdgo.enabled", keys)).toBe("watchdog.enabled");
    expect(suggestKey("health.poll_interval_secs", keys)).toBe("watchdog.poll_interval_secs");
    expect(suggestKey("enabled", keys)).toBe("journal.enabled");
    expect(suggestKey("watchdog.pol_interval_secs", keys)).toBe("watchdog.poll_interval_secs");
  });
});
