/** `rouse go` and `rouse next`: bring the user to the terminal of an agent. */
import type { Command } from "@commander-js/extra-typings";
import { sanitize } from "../../core/text/sanitize.js";
import { shellWord } from "../../core/text/shell-word.js";
import { BadInput } from "../../replay/bad-input.js";
import { parseNamed } from "../arguments.js";
import { requestOperation } from "../ask.js";
import { type RunningAgent, runningAgent } from "../go/find.js";
import { attachTo, ownServer, switchTo } from "../go/panes.js";
import { routeTo } from "../go/route.js";
import { foldText } from "../text/width.js";
import { attach } from "./attach.js";

export function addGo(program: Command, setExit: (code: number) => void): void {
  program
    .command("go")
    .summary("Go to the terminal of an agent")
    .description(
      "Go to the terminal of an agent: inside tmux, switch to its pane; outside, attach to its tmux session. Open the\n" +
        "terminal of a spawned agent here. For an agent in any other terminal, print where it runs.",
    )
    .argument("<agent>", "name of the agent", parseNamed)
    .action(async (name) => setExit(await goTo(await runningAgent(name))));
  program
    .command("next")
    .summary("Go to the next agent that needs you")
    .description(
      "Go to the agent that has needed you longest, as `rouse go` does. Run in the pane of an agent that needs you, go to\n" +
        "the agent after it: bind the command to a key to visit them in turn.",
    )
    .action(async () => {
      const { needs_you: waiting } = await requestOperation("line", {});
      const { agents } = await requestOperation("sessions", {});
      const running = waiting.flatMap(({ name }) => agents.find((agent) => agent.name === name) ?? []);
      const here = running.findIndex(isHere);
      const next = running[(here + 1) % Math.max(1, running.length)];
      if (next && running.indexOf(next) !== here) return setExit(await goTo(next));
      print(noneText(waiting[0]?.name, here >= 0));
    });
}

function noneText(first: string | undefined, isHere: boolean): string {
  if (first === undefined) return "No agent needs you.";
  if (isHere) return "No other agent needs you.";
  return `${sanitize(first, 80)} needs you, but has ended. See \`rouse why ${shellWord(first)}\`.`;
}

/** This process runs in the pane of the agent. */
const isHere = ({ pane }: RunningAgent): boolean =>
  pane !== null && pane.socket === ownServer() && pane.id === process.env.TMUX_PANE;

async function goTo(agent: RunningAgent): Promise<number> {
  const route = await routeTo(agent);
  if (route.kind === "terminal") {
    print(route.text);
    return 0;
  }
  if (route.kind === "switch") {
    const problem = switchTo(route.pane);
    if (problem === null) return 0;
    throw new BadInput(`tmux did not switch to ${sanitize(agent.name, 80)}: ${sanitize(problem, 200)}`);
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new BadInput(`going to an agent needs a terminal; in one, run \`${route.command}\``);
  return route.kind === "tmux" ? attachTo(route.pane) : attach(agent.id);
}

const print = (text: string): void => void process.stdout.write(foldText(`${text}\n`, process.stdout, 0));
