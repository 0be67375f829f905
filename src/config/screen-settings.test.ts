import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rousePaths } from "./paths.js";
import { readScreenSettings, type ScreenSettings } from "./screen-settings.js";

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

const settings = (lines: string): Promise<ScreenSettings> => {
  writeFileSync(join(rousePaths().config, "config.toml"), lines);
  return readScreenSettings(rousePaths().config);
};

it("a host stores as many lines as the user wants to quote, and never fewer than usual", async () => {
  const stored = async (lines: string): Promise<number> => (await settings(lines)).previewLines;
  expect(await stored("")).toBe(5);
  expect(await stored("[watchdog]\noutput_preview_lines = 40\n")).toBe(40);
  expect(await stored("[watchdog]\noutput_preview_lines = 2\n")).toBe(5);
  vi.stubEnv("ROUSE_WATCHDOG_OUTPUT_PREVIEW_LINES", "20");
  expect(await stored("")).toBe(20);
});

it("a host looks for the user's own completion marker", async () => {
  const marker = async (lines: string): Promise<string> => (await settings(lines)).marker;
  expect(await marker("")).toBe("<promise>COMPLETE</promise>");
  expect(await marker('[health]\ncompletion_marker = "ALL_DONE"\n')).toBe("ALL_DONE");
  vi.stubEnv("ROUSE_HEALTH_COMPLETION_MARKER", "FIN");
  expect(await marker("")).toBe("FIN");
});
