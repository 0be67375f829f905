/** What `bin/rouse` runs when the words ask for help or the version. */
import { answerFrom, readStoredHelp } from "./help-store.js";

const stored = readStoredHelp(process.stdout.columns);
const answer = stored && answerFrom(stored, process.argv.slice(2));
if (answer === null) await import("./main.js");
else {
  process.exitCode = answer.code;
  const stream = answer.isError ? process.stderr : process.stdout;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader has seen enough (`| textHead`).
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`rouse: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
  stream.write(answer.text);
}
