/** The command line: one file per command, loaded only when it is asked for. */
import { Command, CommanderError } from "@commander-js/extra-typings";
import { plain } from "../core/plain.js";
import { BadInput } from "../replay/files.js";
import { readVersion } from "./version.js";

/** 0 fine, 1 failed, 2 bad usage: the same for every command. */
async function main(): Promise<number> {
  const program = new Command("rouse")
    .description("Watches AI coding agents: tells what they are doing, and why it thinks so.")
    .version(readVersion())
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(100, process.stdout.columns ?? 100) })
    .configureOutput({
      writeErr: (text) =>
        process.stderr.write(
          text
            .split("\n")
            .map((line) => plain(line))
            .join("\n"),
        ),
    })
    .showHelpAfterError("(add --help for the options)");
  let exit = 0;
  const { addReplay } = await import("./replay.js");
  const { addEval } = await import("./eval.js");
  addReplay(program, (code) => {
    exit = code;
  });
  addEval(program, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof BadInput) {
      process.stderr.write(`rouse: ${error.message}\n`);
      return 1;
    }
    throw error;
  }
  return exit;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads us has seen enough (`| head`).
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
process.exitCode = await main();
