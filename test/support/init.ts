/** `rouse init` in this process, in the test's own home, and its output. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { afterEach, beforeEach, vi } from "vitest";
import { addInit } from "../../src/cli/commands/init.js";

export interface InitHome {
  readonly path: string;
  /** The output since the start of the test, or since the last call. */
  readonly output: string;
  forget: () => void;
}

/** `env` adds to the test's environment, given its home. */
export function useInitHome(env: (home: string) => Record<string, string>): InitHome {
  let path = "";
  let output = "";
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "rouse-init-"));
    output = "";
    const given = { HOME: path, ROUSE_HOME: join(path, "rouse"), ...env(path) };
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, "write").mockImplementation((text) => {
        output += String(text);
        return true;
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
    get output() {
      return output;
    },
    forget: () => {
      output = "";
    },
  };
}

/** Its exit code. */
export async function init(...args: string[]): Promise<number> {
  let exit = 0;
  const program = new Command().exitOverride();
  addInit(program, (code) => {
    exit = code;
  });
  await program.parseAsync(["init", ...args], { from: "user" });
  return exit;
}
