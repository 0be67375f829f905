/** `rouse top` for the help; it runs in `quick.ts`. */
import type { Command } from "@commander-js/extra-typings";
import { KEYS } from "../top/keys.js";

const WIDTH = 8;

export function addTop(program: Command, setExit: (code: number) => void): void {
  program
    .command("top")
    .summary("Watch all agents on one screen and act with one key")
    .description(
      "Show all agents on one live screen: first those that need you, each with its question or reason; healthy agents are\n" +
        "only counted. Needs a terminal.",
    )
    .addHelpText("after", `\nKeys:\n${KEYS.map(({ shown, does }) => `  ${shown.padEnd(WIDTH)}  ${does}`).join("\n")}\n`)
    .action(async () => {
      const { runTop } = await import("../top/run.js");
      setExit(await runTop([]));
    });
}
