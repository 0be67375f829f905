/** `rouse incidents`, `silence`, `ack` and `feedback`: what is wrong, what is done about it, and a person's word on it. */
import { Argument, type Command } from "@commander-js/extra-typings";
import type { SilencesView } from "../../api/service/silences.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import { parseNamed } from "../arguments.js";
import { askUser, isUnknown } from "../ask.js";
import { call, type OperationInput } from "../client.js";
import { parseProblem } from "../options.js";
import { parseDuration, parseSince } from "../since.js";
import { feedbackText, incidentsText, localTime, storyText } from "../text/incident.js";

export function addIncidents(program: Command, _setExit: (code: number) => void): void {
  program
    .command("incidents")
    .summary("what is wrong with whom, what was done about it, and what comes")
    .description(
      "One incident is one problem of one agent, from the first suspicion to the proof that work goes on. With an ID (or\n" +
        "its beginning, or the name of an agent), the whole story of it and what you can do. With the name of an agent and\n" +
        "--all or --since, all of that agent.",
    )
    .argument("[id]", "one incident, or those of one agent", parseNamed)
    .option("--all", "also those that ended")
    .option("--since <when>", "also those that ended since: 8h, 22:00, or a date in ISO 8601", (value: string) =>
      parseSince(value),
    )
    .option("--json", "for programs")
    .action(async (id, { all, since, json }) => {
      const query = { all: all === true, ...(since === undefined ? {} : { since: Math.floor(since) }) };
      const isList = id === undefined || all === true || since !== undefined;
      const found = isList ? await list(query, id) : null;
      if (found) {
        const isNone = found.incidents.length === 0 && id !== undefined;
        const none = `${sanitize(id ?? "", 80)} has had no incident${all ? "" : " since then"}\n`;
        const text = (): string => (isNone ? none : incidentsText(found.incidents, process.stdout));
        process.stdout.write(json ? `${sanitizedJson(found)}\n` : text());
        return;
      }
      const incident = await askUser("incident", { incident: id ?? "" });
      process.stdout.write(json ? `${sanitizedJson(incident)}\n` : storyText(incident, process.stdout));
    });
  program
    .command("silence")
    .summary("do and tell nothing about an agent or a problem for a while")
    .argument("[what]", "an agent, or a problem such as rate_limited; without it, what is silenced now", parseNamed)
    .argument("[problem]", "only this problem of the agent", parseProblem)
    .option("--for <duration>", "90s, 10m, 8h, 2d", parseDuration)
    .option("--off", "end it")
    .option("--json", "for programs")
    .action(async (what, problem, { for: ms, off, json }, self) => {
      const refuse = (text: string): never => self.error(`error: ${text}`, { exitCode: 2 });
      if (what === undefined && (ms !== undefined || off)) refuse("say which agent or problem is meant");
      if (ms !== undefined && off) refuse("--off ends it now; leave --for out");
      if (what !== undefined && ms === undefined && !off) refuse("say for how long (--for 2h), or end it (--off)");
      const silences = await (what === undefined
        ? askUser("silences", {})
        : call("silence", { what, problem: problem ?? null, for_secs: ms === undefined ? null : ms / 1000 }));
      process.stdout.write(json ? `${sanitizedJson(silences)}\n` : silencesText(silences));
    });
  program
    .command("ack")
    .summary("you have taken an incident: rouse does nothing more about it")
    .argument("<id>", "the incident, or its agent", parseNamed)
    .option("--json", "for programs")
    .action(async (id, { json }) => {
      const incident = await call("ack", { incident: id });
      const { agent, problem } = incident;
      process.stdout.write(
        json ? `${sanitizedJson(incident)}\n` : `${agent}: ${problem} is yours; rouse does nothing about it\n`,
      );
    });
  program
    .command("feedback")
    .summary("say whether an alarm was right; false ones of its clocks make rouse more patient with that agent")
    .argument("<id>", "the incident, or its agent", parseNamed)
    .addArgument(new Argument("<word>", "how it was").choices(["false-alarm", "right"] as const))
    .option("--json", "for programs")
    .action(async (id, feedback, { json }) => {
      const incident = await call("feedback", { incident: id, feedback });
      process.stdout.write(json ? `${sanitizedJson(incident)}\n` : feedbackText(incident));
    });
}

/** Null where the word is no agent's name: then it is an incident's. */
async function list(query: OperationInput<"incidents">, agent?: string): Promise<{ incidents: IncidentView[] } | null> {
  try {
    return await askUser("incidents", { ...query, ...(agent === undefined ? {} : { agent }) });
  } catch (error) {
    if (agent !== undefined && isUnknown(error)) return null;
    throw error;
  }
}

function silencesText({ silences }: SilencesView, now: number = Date.now()): string {
  if (silences.length === 0) return "nothing is silenced\n";
  return silences
    .map(({ agent, problem, until }) => {
      const what = [agent ?? "every agent", ...(problem === null ? [] : [problem])].join(", ");
      return `${what}: silenced until ${localTime(until, now)}\n`;
    })
    .join("");
}
