/** Runs the real `bin/rouse` as a child process, with argument arrays only. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const BIN = join(import.meta.dirname, "..", "..", "bin", "rouse");

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function rouse(args: readonly string[], input?: string): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "" },
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input }),
  });
  return { status, stdout, stderr };
}
