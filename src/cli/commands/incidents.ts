/** `rouse incidents`, `silence`, `ack` and `feedback`: problems, actions, and the user's decisions about them. */
import { Argument, type Command } from "@commander-js/extra-typings";
import type { SilencesView } from "../../api/service/silences.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import { parseNamed } from "../arguments.js";
import { isUnknown, requestOperation } from "../ask.js";
import { call, type OperationInput } from "../client.js";
import { parseProblem } from "../options.js";
import { parseDuration, parseSince } from "../since.js";
import { fleetIncidentsText } from "../text/fleet.js";
import { feedbackText, incidentsText, localTime, storyText } from "../text/incident.js";
import { foldText } from "../text/width.js";

export function addIncidents(program: Command, _setExit: (code: number) => void): void {
  program
    .command("incidents")
    .summary("List incidents: problem, actions taken, next step")
    .description(
      "List incidents, or show one in full. An incident is one problem of one agent, from the first suspicion to the proof\n" +
        "of recovery. With an ID (or its first\n" +
        "characters, or the name of an agent), show the incident in full and suggest commands. With the name of an agent\n" +
        "and --all or --since, list the incidents of that agent.",
    )
    .argument("[id]", "an incident, or the name of an agent", parseNamed)
    .option("--all", "include incidents that have ended")
    .option("--since <when>", "include incidents that ended since: 8h, 22:00, or an ISO 8601 date", (value: string) =>
      parseSince(value),
    )
    .option("--fleet", "list the open incidents of all machines of the fleet")
    .option("--json", "print JSON")
    .action(async (id, { all, since, fleet, json }, self) => {
      if (fleet) {
        if (id !== undefined || all || since !== undefined)
          self.error("error: --fleet lists open incidents only, without an id, --all and --since", { exitCode: 2 });
        const view = await requestOperation("fleet", {});
        const incidents = view.agents.flatMap((agent) => agent.incidents);
        const text = json ? `${sanitizedJson({ incidents })}\n` : fleetIncidentsText(view, process.stdout);
        return void process.stdout.write(text);
      }
      const query = { all: all === true, ...(since === undefined ? {} : { since: Math.floor(since) }) };
      const isList = id === undefined || all === true || since !== undefined;
      const found = isList ? await list(query, id) : null;
      if (found) {
        const isNone = found.incidents.length === 0 && id !== undefined;
        const none = `${sanitize(id ?? "", 80)} has had no incidents${all ? "" : " since then"}.\n`;
        const text = (): string => (isNone ? none : incidentsText(found.incidents, process.stdout));
        process.stdout.write(json ? `${sanitizedJson(found)}\n` : text());
        return;
      }
      const incident = await requestOperation("incident", { incident: id ?? "" });
      process.stdout.write(json ? `${sanitizedJson(incident)}\n` : storyText(incident, process.stdout));
    });
  program
    .command("silence")
    .summary("Pause actions, messages and alerts for an agent or a problem")
    .argument("[what]", "an agent, or a problem such as rate_limited (default: list silences)", parseNamed)
    .argument("[problem]", "only this problem of the agent", parseProblem)
    .option("--for <duration>", "how long: 90s, 10m, 8h, 2d", parseDuration)
    .option("--off", "end the silence")
    .option("--json", "print JSON")
    .action(async (what, problem, { for: ms, off, json }, self) => {
      const refuse = (text: string): never => self.error(`error: ${text}`, { exitCode: 2 });
      if (what === undefined && (ms !== undefined || off)) refuse("name an agent or a problem");
      if (ms !== undefined && off) refuse("--off cannot be combined with --for");
      if (what !== undefined && ms === undefined && !off)
        refuse("give a duration (--for 2h), or end the silence (--off)");
      const silences = await (what === undefined
        ? requestOperation("silences", {})
        : call("silence", { what, problem: problem ?? null, for_secs: ms === undefined ? null : ms / 1000 }));
      process.stdout.write(
        json
          ? `${sanitizedJson(silences)}\n`
          : (off ? `Ended the silence of ${[what, problem].join(" ").trim()}.\n` : "") + silencesText(silences, what),
      );
    });
  program
    .command("ack")
    .summary("Acknowledge an incident: no further actions or alerts for it")
    .argument("<id>", "an incident, or the name of an agent", parseNamed)
    .option("--json", "print JSON")
    .action(async (id, { json }) => {
      const incident = await call("ack", { incident: id });
      const { agent, problem } = incident;
      process.stdout.write(
        json
          ? `${sanitizedJson(incident)}\n`
          : foldText(
              `Acknowledged ${problem} of ${agent}: no further actions or alerts for this incident.\n`,
              process.stdout,
              0,
            ),
      );
    });
  program
    .command("feedback")
    .summary("Mark an incident as a real problem or as a false alarm")
    .description(
      "Mark an incident as a real problem (right) or as a false alarm. A false alarm raises the agent's threshold for that\n" +
        "problem. With the name of an agent and missed, report a stall that rouse did not report: it counts in `rouse metrics`.",
    )
    .argument("<id>", "an incident, or the name of an agent", parseNamed)
    .addArgument(new Argument("<feedback>", "your feedback").choices(["false-alarm", "right", "missed"] as const))
    .option(
      "--at <when>",
      "with missed: when it stalled: 40m, 03:10, or an ISO 8601 date (default: now)",
      (value: string) => parseSince(value),
    )
    .option("--problem <problem>", "with missed: its cause, such as silent_stream", parseProblem)
    .option("--json", "print JSON")
    .action(async (id, feedback, { at, problem, json }, self) => {
      if (feedback !== "missed" && (at !== undefined || problem !== undefined))
        return self.error("error: --at and --problem belong to missed", { exitCode: 2 });
      if (feedback === "missed") {
        const about = {
          ...(at === undefined ? {} : { at: Math.floor(at) }),
          ...(problem === undefined ? {} : { problem }),
        };
        const missed = await call("missed", { agent: id, ...about });
        const noted = `Noted: a stall of ${missed.agent} at ${localTime(missed.at, Date.now())} was missed.\n`;
        return void process.stdout.write(json ? `${sanitizedJson(missed)}\n` : noted);
      }
      const incident = await call("feedback", { incident: id, feedback });
      process.stdout.write(json ? `${sanitizedJson(incident)}\n` : foldText(feedbackText(incident), process.stdout, 0));
    });
}

/** Null if it is not the name of an agent: then it is an incident. */
async function list(query: OperationInput<"incidents">, agent?: string): Promise<{ incidents: IncidentView[] } | null> {
  try {
    return await requestOperation("incidents", { ...query, ...(agent === undefined ? {} : { agent }) });
  } catch (error) {
    if (agent !== undefined && isUnknown(error)) return null;
    throw error;
  }
}

/** The silence that was asked for comes first. */
function silencesText({ silences }: SilencesView, asked = "", now: number = Date.now()): string {
  if (silences.length === 0) return "No silences.\n";
  const isAsked = ({ agent, problem }: SilencesView["silences"][number]): boolean =>
    agent === asked || (agent === null && problem === asked);
  return [...silences.filter(isAsked), ...silences.filter((one) => !isAsked(one))]
    .map(({ agent, problem, until }) => {
      const what = [agent ?? "all agents", ...(problem === null ? [] : [problem])].join(", ");
      return `${what}: silenced until ${localTime(until, now)}\n`;
    })
    .join("");
}
