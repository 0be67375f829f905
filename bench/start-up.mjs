/**
 * Commands that agents run many times a minute, and help, as whole processes beside an empty Node.js, with the daemon
 * up and down.
 */
import { spawnSync } from "node:child_process";
import { timed } from "./measure.mjs";
import { BIN, canMeasure, ended, makeHome, median, removeHome, startDaemon } from "./processes.mjs";

const ROUNDS = 25;
const RATIO_MAX = 1.5;
const PAYLOAD = JSON.stringify({
  session_id: "5b1f7c1e-0000-4000-8000-000000000000",
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_input: { command: "npm test" },
  tool_response: { stdout: "ok\n".repeat(500) },
});
const COMMANDS = {
  "node -e 0": { args: ["-e", "0"], input: "" },
  "rouse hook": { args: [BIN, "hook", "claude-code"], input: PAYLOAD },
  "rouse status --line": { args: [BIN, "status", "--line"], input: "" },
  "rouse --version": { args: [BIN, "--version"], input: "" },
  "rouse --help": { args: [BIN, "--help"], input: "" },
  "rouse status --help": { args: [BIN, "status", "--help"], input: "" },
  "rouse checkpoint": { args: [BIN, "checkpoint", "7", "--step", "1", "reproduced it"], input: "" },
  "rouse report": { args: [BIN, "report", "working", "on the parser", "--name", "nobody"], input: "" },
};

export async function benchStartUp() {
  if (!canMeasure) return [];
  const results = [];
  for (const state of ["up", "down"]) {
    const home = makeHome("off");
    const daemon = state === "up" ? await startDaemon(home) : null;
    const took = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, { args, input }] of Object.entries(COMMANDS)) {
        const options = { env: home.env, cwd: home.path, input, stdio: ["pipe", "ignore", "ignore"] };
        took[name].push(timed(() => spawnSync(process.execPath, args, options)));
      }
    }
    if (daemon) {
      daemon.kill("SIGTERM");
      await ended(daemon);
    }
    removeHome(home);
    const empty = median(took["node -e 0"]);
    for (const name of Object.keys(COMMANDS).slice(1)) {
      results.push({
        name: `${name}, whole process, daemon ${state} (median of ${ROUNDS})`,
        figure: median(took[name]) / empty,
        unit: "× node -e 0",
        relation: "<=",
        bar: RATIO_MAX,
        detail: { ms: median(took[name]), emptyMs: empty },
      });
    }
  }
  return results;
}
