/** `rouse type`: types a text of the user into an agent, then Enter. */
import type { Command } from "@commander-js/extra-typings";
import { askHost, livingSession } from "../host-client.js";

export function addType(program: Command, _setExit: (code: number) => void): void {
  program
    .command("type")
    .summary("Type text into an agent")
    .description(
      "Type a text into an agent that rouse started, then press Enter. The text is literal: control characters are removed, and\n" +
        "line breaks become spaces.",
    )
    .argument("<agent>", "name of the agent")
    .argument("<text...>", "words are joined by spaces; put -- before a word that starts with a dash")
    .option("--no-enter", "do not press Enter: leave the text as a draft")
    .action(async (name, text, options) => {
      await askHost(
        await livingSession(name, "cannot type into it"),
        { op: "type", text: text.join(" "), enter: options.enter },
        "typed",
      );
    });
}
