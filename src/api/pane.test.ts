import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionOf } from "../../test/support/sessions.js";
import { rousePaths } from "../config/paths.js";
import { writeRecord } from "../terminal/registry.js";
import { readPane } from "./pane.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-pane-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the terminal of an agent whose host has left", () => {
  const read = (exit: { code: number; signal: null } | null) => {
    const paths = rousePaths({ HOME: folder, ROUSE_HOME: folder });
    const session = sessionOf({ hostSocket: join(folder, "h.sock") });
    writeRecord(paths, { ...session, hostPid: 2, hostStart: null, cols: 80, rows: 24, exit });
    return readPane(session, 10, paths);
  };

  it("is that of an ended agent once the host recorded the end, although the daemon has not learned of it", async () => {
    await expect(read({ code: 0, signal: null })).rejects.toThrow("a ended, and its output was not kept");
  });

  it("does not answer while no end is recorded", async () => {
    await expect(read(null)).rejects.toThrow("a does not answer");
  });
});
