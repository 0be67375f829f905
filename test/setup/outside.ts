/**
 * Loads the guard of no-outside.mjs into every process of the run, and fails the run if a process contacted an
 * outside host.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export default function guardOutside(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "rouse-outside-"));
  const log = join(folder, "asked");
  const guard = pathToFileURL(join(import.meta.dirname, "no-outside.mjs")).href;
  process.env.ROUSE_TEST_OUTSIDE = log;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${guard}`].filter(Boolean).join(" ");
  return () => {
    const asked = existsSync(log) ? readFileSync(log, "utf8") : "";
    rmSync(folder, { recursive: true, force: true });
    if (asked !== "") throw new Error(`tests asked for hosts outside of this machine:\n${asked}`);
  };
}
