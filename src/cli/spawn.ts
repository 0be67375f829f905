/** `rouse spawn`: an agent without a terminal, in a small process of its own that outlives this one and the daemon. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Command } from "@commander-js/extra-typings";
import { makePrivateFolder, rousePaths } from "../config/paths.js";
import { plain, plainJson } from "../core/plain.js";
import { allowUp } from "../daemon/kept-down.js";
import { BadInput } from "../replay/bad-input.js";
import { agentCommand, cannotStart, checkKind, specOf } from "./agent-options.js";
import type { HostOrder } from "./host.js";

const COLS = 120;
const ROWS = 40;
/** A host makes few objects and needs no speed: 58 MB resident, 15 of them its own. */
const SMALL = ["--max-semi-space-size=1", "--optimize-for-size", "--single-threaded"];

export function addSpawn(program: Command, setExit: (code: number) => void): void {
  agentCommand(program, "spawn")
    .option("--json", "what was started, for programs")
    .summary("run an agent detached, watched")
    .description("Starts a program in a terminal of its own, detached, and prints its name.")
    .addHelpText("after", "\nExamples:\n  rouse spawn -- claude\n  rouse attach claude\n  rouse stop claude\n")
    .action(async (command, options, self) => {
      await checkKind(options.kind, (text) => self.error(text, { exitCode: 2 }));
      const trouble = cannotStart(command);
      if (trouble) {
        process.stderr.write(`rouse: ${trouble.text}\n`);
        setExit(trouble.code);
        return;
      }
      // Somebody wants an agent watched: that ends a "rouse down".
      allowUp(rousePaths());
      // Not set where output is no terminal, whatever the types say.
      const cols = process.stdout.columns || COLS;
      const rows = process.stdout.rows || ROWS;
      const started = await startHost({ spec: specOf(command, options, "spawn"), cols, rows });
      if (started.error !== undefined) throw new BadInput(plain(started.error));
      process.stdout.write(options.json ? `${plainJson(started)}\n` : `${started.name}\n`);
    });
}

interface Started {
  name?: string;
  session?: string;
  pid?: number;
  error?: string;
}

async function startHost(order: HostOrder): Promise<Started> {
  const paths = rousePaths();
  makePrivateFolder(paths.state);
  const log = openSync(join(paths.state, "host.log"), "a", 0o600);
  const script = fileURLToPath(new URL("./host.js", import.meta.url));
  // `detached` makes it the leader of a session of its own: closing this terminal does not reach it.
  const child = spawn(process.execPath, [...SMALL, script], {
    detached: true,
    stdio: ["pipe", "ignore", log, "pipe"],
  });
  closeSync(log);
  const stdin = child.stdin as Writable;
  const answer = child.stdio[3] as Readable;
  stdin.on("error", () => {});
  stdin.end(JSON.stringify(order));
  let text = "";
  answer.setEncoding("utf8");
  for await (const chunk of answer) text += chunk;
  child.unref();
  if (text === "") return { error: `the agent's host did not start; ${join(paths.state, "host.log")} says why` };
  return JSON.parse(text) as Started;
}
