/** Clients from npm, one folder per version in a cache, so that a second run needs no network. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "./client.js";

export interface Installed {
  client: Client;
  version: string;
  folder: string;
  program: string;
}

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rouse", "test-real");

export async function install(client: Client): Promise<Installed> {
  const version = process.env[client.versionVariable] || client.version;
  const folder = join(CACHE, `${client.name}-${version}`);
  const program = join(folder, "node_modules", client.program);
  if (!existsSync(program)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    const args = ["install", "--prefix", fresh, "--no-audit", "--no-fund", "--silent", `${client.package}@${version}`];
    // The second installer discards its own copy; a folder is never half installed.
    await promisify(execFile)("npm", args, { cwd: fresh, timeout: 600_000 }).catch((error: Error) => {
      rmSync(fresh, { recursive: true });
      throw new Error(
        `npm cannot install ${client.package}@${version}: ${error.message.trim()}\n` +
          `It needs the registry once; ${client.versionVariable} names another version.`,
      );
    });
    if (existsSync(program)) rmSync(fresh, { recursive: true });
    else renameSync(fresh, folder);
  }
  const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: 60_000 });
  if (!stdout.includes(version)) throw new Error(`${program} says ${stdout.trim()}, not ${version}; remove ${folder}`);
  return { client, version, folder, program };
}
