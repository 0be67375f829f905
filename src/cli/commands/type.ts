/** `rouse type`: a person's own text into an agent, and one Enter. */
import type { Command } from "@commander-js/extra-typings";
import { askHost, livingSession } from "../host-client.js";

export function addType(program: Command, _setExit: (code: number) => void): void {
  program
    .command("type")
    .summary("type a text into an agent")
    .description(
      "Types a text into an agent that was started by rouse, then Enter. The text is taken literally: control characters\n" +
        "are left out, and line ends become blanks.",
    )
    .argument("<agent>", "its name")
    .argument("<text...>", "the text; several words are joined by blanks; behind -- if one begins with a dash")
    .option("--no-enter", "leave the text in the agent's composer")
    .action(async (name, text, options) => {
      await askHost(await livingSession(name), { op: "type", text: text.join(" "), enter: options.enter }, "typed");
    });
}
