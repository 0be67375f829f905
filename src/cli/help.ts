/** `bin/rouse` runs this for help and version. */
import { answerFrom, readStoredHelp } from "./help-store.js";

const stored = readStoredHelp(process.stdout.columns);
const answer = stored && answerFrom(stored, process.argv.slice(2));
if (answer === null) await import("./main.js");
else {
  process.exitCode = answer.code;
  const stream = answer.isError ? process.stderr : process.stdout;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe (`| head`).
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`rouse: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
  stream.write(answer.text);
}
