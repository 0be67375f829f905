/** `rouse diagnose`: what a model says about a problem, and what it was told. */
import type { Command } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { parseNamed } from "../arguments.js";
import { call } from "../client.js";

const CONTEXT_MS = 60_000;

export function addDiagnose(program: Command, _setExit: (code: number) => void): void {
  program
    .command("diagnose")
    .summary("Explain what is wrong, with a model's help")
    .description(
      "Collect what rouse knows about agents, tasks and incidents for a model that explains the cause. --print-context shows\n" +
        "all of it: rules, redacted screens, tasks. Nothing is sent.",
    )
    .argument("[agent]", "agent to ask about (default: everything)", parseNamed)
    .requiredOption("--print-context", "print what a model would get, and send nothing")
    .option("--json", "print JSON")
    .action(async (agent, { json }) => {
      const asked = agent === undefined ? {} : { agent };
      const context = await call("diagnosis_context", asked, CONTEXT_MS);
      process.stdout.write(json ? `${sanitizedJson(context)}\n` : `${context.lines.join("\n")}\n`);
    });
}
