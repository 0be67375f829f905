/** `rouse recover`: runs the recovery plan of an agent's policy now, at the user's request. */
import type { Command } from "@commander-js/extra-typings";
import { traitsOf } from "../../core/policy/problems.js";
import { UNHEALTHY } from "../../core/states.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { upperFirst } from "../../core/text/sentences.js";
import type { RecoveryView } from "../../daemon/views/recovery-view.js";
import { parseNamed } from "../arguments.js";
import { call } from "../client.js";
import { isFleetName } from "../fleet-name.js";
import { doneText, localTime } from "../text/incident.js";
import { foldText } from "../text/width.js";

/** Try again later: a recovery of this agent is under way. */
const BUSY = 75;

export function addRecover(program: Command, setExit: (code: number) => void): void {
  program
    .command("recover")
    .summary("Run the recovery plan of an agent now")
    .description(
      "Run the steps of the agent's policy for its problem now, up to the first step that has to wait. Runs even if\n" +
        "auto-recovery is off. Still refused if a prompt is open, a draft is unsent, a user is typing, another program runs\n" +
        "in its place or a budget is used up. Does nothing to a healthy agent.",
    )
    .argument("<agent>", "name of the agent, or NAME@NODE for another machine of the fleet", parseNamed)
    .option("--dry-run", "print the next step and the reason, and do nothing")
    .option("--restart", "stop and restart the agent")
    .option("--json", "print JSON")
    .action(async (name, { dryRun, restart, json }) => {
      if (isFleetName(name)) {
        const { sendCommand } = await import("../send-command.js");
        const order = { agent: name, verb: "recover", dry_run: dryRun === true, restart: restart === true } as const;
        return void ((await sendCommand(order, json)) || setExit(1));
      }
      const view = await call("recover", { agent: name, dry_run: dryRun === true, restart: restart === true });
      process.stdout.write(json ? `${sanitizedJson(view)}\n` : foldText(recoveryText(view), process.stdout));
      if (view.busy) setExit(BUSY);
      else if (!dryRun && isFailed(view)) setExit(1);
    });
}

/** There is a problem, and no step was carried out, or the last one failed. */
function isFailed({ incident, state, steps }: RecoveryView): boolean {
  const isRecovered = state === "working" || state === "waiting";
  return incident !== null && !isRecovered && steps.at(-1)?.result !== "done";
}

/** Why a recovery took no step, if the state or the problem alone says so. */
function idleText({ agent, state, incident, problem, busy, next_check_at }: RecoveryView): string | null {
  if (busy) return null;
  if (incident === null)
    return UNHEALTHY.has(state) ? null : `No action needed: ${agent} has no open problem (${state}).`;
  const traits = problem === null ? null : traitsOf(problem);
  if (!traits?.humanOnly || next_check_at !== null) return null;
  return problem === "needs_input"
    ? `No action taken: ${agent} has an open prompt that only you can answer. Run \`rouse go ${agent}\`.`
    : `No action taken: ${agent} needs you: ${traits.userStep}.`;
}

export function recoveryText(view: RecoveryView, now: number = Date.now()): string {
  const { agent, state, incident, problem, dry_run, steps, next, reason, next_check_at } = view;
  const lines = steps.map(({ do: name, result, reason: why }) =>
    upperFirst(result === "done" ? `${doneText(name)} ${agent}: ${why}` : `${name} of ${agent} ${result}: ${why}`),
  );
  const when = next_check_at === null ? "" : `, next check ${localTime(next_check_at, now)}`;
  const isSaid = steps.length > 0 && steps.at(-1)?.result !== "done";
  if (dry_run && next && next_check_at === null) lines.push(`Would ${next.do} ${agent}: ${reason}`);
  else if (steps.length === 0) lines.push(idleText(view) ?? `No action for ${agent} (${state}): ${reason}${when}`);
  else if (!isSaid) lines.push(upperFirst(`${reason}${when}`));
  if (dry_run && next && next_check_at !== null) lines.push(`Then: ${next.do}`);
  if (incident !== null && !dry_run) lines.push(`See \`rouse incidents ${incident.slice(0, 8)}\` (${problem}).`);
  return lines.map((line) => `${line}\n`).join("");
}
