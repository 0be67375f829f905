/** `rouse prompt`: the texts that rouse gives to agents, as files. */
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/bad-input.js";
import { PROMPT_USES, promptNames, readPrompt } from "../../work/prompts/files.js";
import { TemplateError } from "../../work/prompts/template.js";
import { requestOperation } from "../ask.js";

export function addPrompt(program: Command, setExit: (code: number) => void): void {
  const prompt = program
    .command("prompt")
    .summary("Show the prompts that rouse gives to agents")
    .description(
      "List, print and try prompts. Your file prompts/NAME.md next to your configuration replaces a prompt; prompts/NAME.extra.md\n" +
        "is appended to it.",
    );
  prompt
    .command("list")
    .summary("List the prompts")
    .option("--json", "print JSON")
    .action(({ json }) => {
      const { config } = rousePaths();
      const prompts = promptNames(config).map((name) => {
        const { origin, from } = read(name, config);
        return { name, use: PROMPT_USES[name] ?? "", origin, from };
      });
      const rows = [{ name: "NAME", origin: "FROM", use: "USE" }, ...prompts].map(({ name, use, origin }) =>
        `${name.padEnd(16)} ${origin.padEnd(9)} ${sanitize(use)}`.trimEnd(),
      );
      process.stdout.write(json ? `${sanitizedJson({ prompts })}\n` : `${rows.join("\n")}\n`);
    });
  prompt
    .command("show")
    .summary("Print a prompt as a template")
    .argument("<name>", "name of a prompt")
    .action((name) => {
      const { text } = read(name, rousePaths().config);
      process.stdout.write(
        `${text
          .split("\n")
          .map((line) => sanitize(line, 100_000))
          .join("\n")
          .trimEnd()}\n`,
      );
    });
  prompt
    .command("make")
    .summary("Print the prompt that would resume an agent now")
    .description(
      "Print the prompt that would resume an agent now. If it should not be resumed now, print the reason and exit 1.",
    )
    .argument("<agent>", "name of an agent")
    .option("--json", "print JSON")
    .action(async (agent, { json }) => {
      const made = await requestOperation("resume_prompt", { agent });
      if (made.prompt === null) setExit(1);
      if (json) process.stdout.write(`${sanitizedJson(made)}\n`);
      else if (made.prompt === null)
        process.stderr.write(`rouse: no prompt for ${sanitize(made.agent)}: ${sanitize(made.reason)}\n`);
      else
        process.stdout.write(
          `${made.prompt
            .split("\n")
            .map((line) => sanitize(line, 100_000))
            .join("\n")}\n`,
        );
    });
}

function read(name: string, config: string): ReturnType<typeof readPrompt> {
  try {
    return readPrompt(name, config);
  } catch (error) {
    throw error instanceof TemplateError ? new BadInput(error.message) : error;
  }
}
