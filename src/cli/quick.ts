/**
 * Commands that agents and prompts run, often many times a minute: the whole process may take 1.5 times as long as an empty
 * Node.js. They start here, before the command line is loaded; `--help` loads it.
 */
import { checkHome } from "../config/paths.js";

const args = process.argv.slice(3);
const asksForHelp =
  args[0] === "--help" || args[0] === "-h" || (process.argv[2] === "status" && args.includes("--help"));
/** A hook prints nothing, even on errors. */
const complaint = process.argv[2] === "hook" ? null : checkHome();

if (asksForHelp) await import("./main.js");
else if (complaint !== null) {
  process.stderr.write(`rouse: ${complaint}\n`);
  process.exitCode = 2;
} else if (process.argv[2] === "top") process.exitCode = await (await import("./top/run.js")).runTop(args);
else if (process.argv[2] === "report") process.exitCode = await (await import("./commands/report.js")).runReport(args);
else if (process.argv[2] === "checkpoint")
  process.exitCode = await (await import("./commands/checkpoint.js")).runCheckpoint(args);
else if (process.argv[2] === "status")
  process.exitCode = await (await import("./commands/status-line.js")).runStatusLine(args);
else process.exitCode = await (await import("./commands/hook.js")).runHook(args);
