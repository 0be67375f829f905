/**
 * Runs over there, started by ssh; not a command of users. `check`: whether this installation runs on this machine. `join`: reads
 * node and address of the hub, and writes them. `relay`: serves the hub to this machine's daemon. It answers with one line.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { setInConfig } from "../../config/edit.js";
import { makeFolder, rousePaths } from "../../config/paths.js";
import { writeWhole } from "../../config/whole-file.js";
import { JOIN_ANSWER, type JoinAnswer } from "../../fleet/ssh/node.js";
import { serveRelay } from "../../fleet/ssh/relay-socket.js";
import { relayOf, withRelay } from "../../hub/postgres/relay.js";
import { loadSqlite } from "../../store/sqlite.js";
import { loadSettings } from "../settings.js";

const ORDER = z.object({ node: z.string(), url: z.string().nullable(), replace: z.boolean() });

const MODES: Readonly<Record<string, () => Promise<number>>> = {
  check: async () => {
    await import("../../terminal/pty.js");
    loadSqlite();
    return 0;
  },
  join: async () => {
    const answer = await joinThere(ORDER.parse(JSON.parse(await text(process.stdin)))).catch(
      (error: Error): JoinAnswer => ({ error: error.message }),
    );
    process.stdout.write(`\n${JOIN_ANSWER}${JSON.stringify(answer)}\n`);
    return 0;
  },
  relay: async () => {
    const path = relayOf(loadSettings().hub.url || "none:");
    if (path === null)
      throw new Error("this machine is no node that was joined by ssh: run `rouse fleet join NAME --ssh`");
    process.stderr.write(`rouse: ${await serveRelay(path, process.stdin, process.stdout)}\n`);
    // Connections of a daemon may still be open.
    process.exit(0);
  },
};

/** Without an address, only whether it could be written. */
async function joinThere({ node, url, replace }: z.output<typeof ORDER>): Promise<JoinAnswer> {
  const paths = rousePaths();
  const file = join(paths.config, "config.toml");
  const { hub } = loadSettings();
  if (hub.url !== "" && !replace)
    return { error: "that machine has joined a fleet already; --replace renews its login" };
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const address = withRelay(url ?? "postgresql://x/x", join(paths.runtime, "hub.sock"));
  const edited = setInConfig(before, "hub", { url: address, node });
  if (url === null) return { joined: false };
  makeFolder(dirname(file));
  writeWhole(existsSync(file) ? realpathSync(file) : file, edited);
  return { joined: true };
}

async function main(mode: string): Promise<number> {
  const run = MODES[mode];
  if (!run) throw new Error("unknown order");
  return run();
}

process.exitCode = await main(process.argv[2] ?? "").catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});
