import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rousePaths } from "./paths.js";
import { storedPreviewLines } from "./preview-lines.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-preview-"));
  vi.stubEnv("ROUSE_HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", join(home, "config"));
  mkdirSync(rousePaths().config, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const stored = (lines: string): Promise<number> => {
  writeFileSync(join(rousePaths().config, "config.toml"), lines);
  return storedPreviewLines(rousePaths().config);
};

it("a host stores as many lines as the user wants to quote, and never fewer than usual", async () => {
  expect(await stored("")).toBe(5);
  expect(await stored("[watchdog]\noutput_preview_lines = 40\n")).toBe(40);
  expect(await stored("[watchdog]\noutput_preview_lines = 2\n")).toBe(5);
  vi.stubEnv("ROUSE_WATCHDOG_OUTPUT_PREVIEW_LINES", "20");
  expect(await stored("")).toBe(20);
});
