/** `rouse hook` and `rouse report` as the help shows them; they run in `quick.ts`. */
import { Argument, type Command } from "@commander-js/extra-typings";
import { REPORT_STATES } from "./commands/report.js";

export function addQuick(program: Command, setExit: (code: number) => void): void {
  program
    .command("hook")
    .summary("Send a hook's payload to the daemon (run by hooks)")
    .description(
      "Reads the payload of an agent's hook and sends it to the daemon. Always exits 0, at once and without output. " +
        '"rouse init" installs it.',
    )
    .argument("<program>", "claude-code, codex or gemini")
    .argument("[payload]", "the payload, if it is not on standard input")
    .option("--plugin", "do nothing if the same hooks are in Claude Code's settings")
    .action(async (name, payload, { plugin }) => {
      const { runHook } = await import("./commands/hook.js");
      setExit(await runHook([name, ...(plugin ? ["--plugin"] : []), ...(payload === undefined ? [] : [payload])]));
    });
  program
    .command("report")
    .summary("say how you are (agents run this)")
    .description("An agent's own word about its state. A heartbeat proves life, never progress.")
    .addArgument(new Argument("[state]").choices(REPORT_STATES))
    .argument("[text...]", "what there is to say")
    .option("--heartbeat", "I am alive")
    .option("--name <agent>", "the agent, where it was not started by rouse")
    .action(async (state, text, options) => {
      const { runReport } = await import("./commands/report.js");
      const flags = [...(options.heartbeat ? ["--heartbeat"] : []), ...(options.name ? ["--name", options.name] : [])];
      setExit(await runReport([...flags, ...(state === undefined ? [] : ["--", state, ...text])]));
    });
}
