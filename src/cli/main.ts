/** The command line: one file per command, loaded on demand. */
import { runCommandLine, say } from "./command-line.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe (`| head`).
  if (error.code === "EPIPE") process.exit(0);
  // A command that runs an agent handles this itself: the agent must not end with the output.
  if (process.listenerCount("uncaughtException") > 0) throw error;
  process.exit(say(`cannot write to standard output: ${error.message}`, 1));
});
process.exitCode = await runCommandLine(process.argv.slice(2));
