/** `rouse type`: gives a text of the user to an agent. */
import type { Command } from "@commander-js/extra-typings";
import { giveWork, READY_TEXT, reportWork } from "../give-work.js";
import { askHost, livingSession } from "../host-client.js";
import { permitted } from "../permit.js";
import { parseDuration } from "../since.js";

const REFUSAL = "cannot type into it";

export function addType(program: Command, setExit: (code: number) => void): void {
  program
    .command("type")
    .summary("Type text into an agent")
    .description(
      "Wait until an agent is ready for input, type text, press Enter, and confirm that a turn started. Refused while a\n" +
        "dialog is open or a draft is unsent. Exits 1 if the text was not accepted, and prints the reason. The text is\n" +
        "literal: control characters are removed, and line breaks become spaces.",
    )
    .argument("<agent>", "name of the agent")
    .argument("<text...>", "words are joined by spaces; put -- before a word that starts with a dash")
    .option("--no-enter", "do not press Enter: leave the text as a draft")
    .option("--timeout <duration>", READY_TEXT, parseDuration)
    .option(
      "--unchecked",
      "type and press Enter at once, without reading the screen: answers a dialog; with --no-enter, types a single key",
    )
    .action(async (name, words, { enter, timeout, unchecked }) => {
      const text = words.join(" ");
      if (unchecked) {
        const session = await livingSession(name, REFUSAL);
        await permitted("local_type_unchecked", { agent: session.id, text }, [], () =>
          askHost(session, { op: "type", text, enter }, "typed"),
        );
        return;
      }
      const work = { timeoutMs: timeout, enter };
      reportWork(await giveWork(name, text, work, () => livingSession(name, REFUSAL)), setExit);
    });
}
