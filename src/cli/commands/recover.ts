/** `rouse recover`: what the policy would do about an agent's problem, at once, because a person asks for it. */
import type { Command } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import type { RecoveryView } from "../../daemon/views/recovery-view.js";
import { parseNamed } from "../arguments.js";
import { call } from "../client.js";
import { doneText, localTime } from "../text/incident.js";

/** Try again: something is being done to it. */
const BUSY = 75;

export function addRecover(program: Command, setExit: (code: number) => void): void {
  program
    .command("recover")
    .summary("get an agent going again now: the recovery plan of its policy, by hand")
    .description(
      "Does at once what the agent's policy does about its problem, up to the first step that has to be waited for. Your\n" +
        "word is permission, whatever was allowed; but a dialog, a draft, a person at the keyboard, another program in its\n" +
        "place or a used-up budget stand against it as ever. An agent with which nothing is wrong is left alone.",
    )
    .argument("<agent>", "its name", parseNamed)
    .option("--dry-run", "only say what would be done, and why it may or may not")
    .option("--restart", "stop it and start it again")
    .option("--json", "for programs")
    .action(async (name, { dryRun, restart, json }) => {
      const view = await call("recover", { agent: name, dry_run: dryRun === true, restart: restart === true });
      process.stdout.write(json ? `${sanitizedJson(view)}\n` : recoveryText(view));
      if (view.busy) setExit(BUSY);
      else if (!dryRun && isFailed(view)) setExit(1);
    });
}

/** Something is wrong, and nothing was done about it, or what was done went wrong. */
function isFailed({ incident, state, steps }: RecoveryView): boolean {
  const isRecovered = state === "working" || state === "waiting";
  return incident !== null && !isRecovered && steps.at(-1)?.result !== "done";
}

export function recoveryText(view: RecoveryView, now: number = Date.now()): string {
  const { agent, state, incident, problem, dry_run, steps, next, reason, at } = view;
  const lines = steps.map(({ do: name, result, reason: why }) =>
    result === "done" ? `${doneText(name)} ${agent}: ${why}` : `${name} of ${agent} ${result}: ${why}`,
  );
  const when = at === null ? "" : `, looked at again ${localTime(at, now)}`;
  const isSaid = steps.length > 0 && steps.at(-1)?.result !== "done";
  if (dry_run && next && at === null) lines.push(`would ${next.do} ${agent}: ${reason}`);
  else if (steps.length === 0) lines.push(`nothing is done to ${agent} (${state}): ${reason}${when}`);
  else if (!isSaid) lines.push(`${reason}${when}`);
  if (dry_run && next && at !== null) lines.push(`then: ${next.do}`);
  if (incident !== null && !dry_run) lines.push(`see "rouse incidents ${incident.slice(0, 8)}" (${problem})`);
  return lines.map((line) => `${line}\n`).join("");
}
