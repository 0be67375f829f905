/** `rouse hook`, `report` and `checkpoint` for the help; they run in `quick.ts`. */
import { Argument, type Command } from "@commander-js/extra-typings";
import { REPORT_STATES } from "./commands/report.js";

export function addQuick(program: Command, setExit: (code: number) => void): void {
  program
    .command("hook")
    .summary("Send a hook payload to the daemon (run by agents)")
    .description(
      "Send the payload of an agent's hook to the daemon. Prints nothing and always exits 0 at once. " +
        "`rouse init` installs it.",
    )
    .argument("<program>", "claude-code, codex or gemini")
    .argument("[payload]", "the payload (default: standard input)")
    .option("--plugin", "do nothing if the same hooks are in Claude Code's settings")
    .action(async (name, payload, { plugin }) => {
      const { runHook } = await import("./commands/hook.js");
      setExit(await runHook([name, ...(plugin ? ["--plugin"] : []), ...(payload === undefined ? [] : [payload])]));
    });
  program
    .command("report")
    .summary("Report your own state (run by agents)")
    .description(
      "Report the state of the calling agent. A heartbeat proves that the agent is alive, not that it makes progress.",
    )
    .addArgument(new Argument("[state]", "its state").choices(REPORT_STATES))
    .argument("[text...]", "details")
    .option("--heartbeat", "report only that the agent is alive")
    .option("--name <agent>", "name of the agent, if rouse did not start it")
    .action(async (state, text, options) => {
      const { runReport } = await import("./commands/report.js");
      const flags = [...(options.heartbeat ? ["--heartbeat"] : []), ...(options.name ? ["--name", options.name] : [])];
      setExit(await runReport([...flags, ...(state === undefined ? [] : ["--", state, ...text])]));
    });
  program
    .command("checkpoint")
    .summary("Report a completed step of your task (run by agents)")
    .description(
      "Report a completed step of the task that the calling agent holds, or progress within a step. Without a daemon the\n" +
        "checkpoint is stored and delivered later.",
    )
    .argument("[task]", "number of the task (default: the one that the agent holds)")
    .argument("[text...]", "what was completed")
    .option("--step <number>", "number of the completed step")
    .option("--name <agent>", "name of the agent, if rouse did not start it")
    .action(async (task, text, { step, name }) => {
      const { runCheckpoint } = await import("./commands/checkpoint.js");
      const flags = [...(step === undefined ? [] : ["--step", step]), ...(name === undefined ? [] : ["--name", name])];
      setExit(await runCheckpoint([...flags, ...(task === undefined ? [] : ["--", task, ...text])]));
    });
}
