/** `rouse watch`: adopts agents that already run, in tmux or in any other terminal. */
import type { Command } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import type { WatchRules } from "../../daemon/intake/watch-rules.js";
import { findSockets } from "../../sensors/tmux/discover.js";
import { findProgram } from "../../terminal/find-program.js";
import { collectNames, collectTag, parseName, parseNamed } from "../arguments.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { panesOf } from "../go/panes.js";
import { loadSettings } from "../settings.js";
import { foldText } from "../text/width.js";

export function addWatch(program: Command): void {
  program
    .command("watch")
    .summary("Watch agents that are already running")
    .description(
      "Adopt agents that rouse did not start. Without arguments, watch every tmux pane and process that runs a known\n" +
        "agent program; with names (of tmux sessions, or pane ids such as %3) or tags, only those. Watching never types into\n" +
        "an agent or ends it.",
    )
    .argument("[names...]", "tmux sessions or pane ids", collectNames)
    .option("--tag <tag...>", "panes with this tag in @rouse_tags", collectTag)
    .option(
      "--none",
      "adopt no more agents, except panes with a tag in watchdog.worker_tags; adopted agents stay watched until they end",
    )
    .option("--json", "print JSON")
    .action(async (names, { tag = [], none, json }, self) => {
      if (none && names.length + tag.length > 0)
        self.error("error: --none cannot be combined with names or --tag", { exitCode: 2 });
      loadSettings();
      await ensureDaemon();
      const wanted: WatchRules = {
        programs: names.length === 0 && tag.length === 0 && !none,
        tags: tag,
        names,
        ...(none ? { replace: true } : {}),
      };
      const rules = await call("watch", wanted);
      const missing = await unmatchedNames(names);
      const areAllMissing = missing.length > 0 && missing.length === names.length && tag.length === 0;
      if (json || !areAllMissing)
        process.stdout.write(
          json
            ? `${sanitizedJson(rules)}\n`
            : foldText(`${none ? noneText(rules) : `${rulesText(rules)}; see \`rouse status\`.`}\n`, process.stdout, 0),
        );
      if (!none && findProgram("tmux", process.env, process.cwd()) !== "found")
        process.stderr.write("rouse: warning: tmux not found; only agents outside tmux are watched\n");
      if (missing.length > 0)
        process.stderr.write(
          foldText(
            `rouse: warning: no tmux session or pane ${quoted(missing)} exists yet; rouse will watch it when it appears (to undo: \`rouse unwatch ${missing.join(" ")}\`)\n`,
            process.stderr,
          ),
        );
    });
  program
    .command("unwatch")
    .summary("Stop watching adopted agents; they keep running")
    .description(
      "Stop watching agents that rouse adopted, and forget names given to `rouse watch`. The agents keep running. A later\n" +
        "`rouse watch` adopts them again.",
    )
    .argument("<agents...>", "names of agents, as in `rouse status`", collectNames)
    .option("--json", "print JSON")
    .action(async (agents, { json }) => {
      loadSettings();
      const answer = await call("unwatch", { agents });
      process.stdout.write(json ? `${sanitizedJson(answer)}\n` : `No longer watching ${agents.join(", ")}.\n`);
    });
  program
    .command("rename")
    .summary("Give a running agent another name")
    .description(
      "Give a running agent another name. Its incidents, silences, permissions and history follow it. A later run of the\n" +
        "same program gets a new name, unless rouse restarts it.",
    )
    .argument("<agent>", "current name of the agent", parseNamed)
    .argument("<name>", "new name", parseName)
    .option("--json", "print JSON")
    .action(async (agent, name, { json }) => {
      const answer = await call("rename", { agent, name });
      process.stdout.write(json ? `${sanitizedJson(answer)}\n` : `Renamed ${answer.before} to ${answer.agent}.\n`);
    });
}

const quoted = (names: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(names.map((name) => JSON.stringify(name)));

/** Names that fit no pane of any tmux server of this user. */
async function unmatchedNames(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const panes = (await Promise.all((await findSockets()).map(panesOf))).flat();
  return names.filter((name) => !panes.some(({ id, name: own, session }) => [id, own, session.name].includes(name)));
}

/** Tags of the configuration stay in effect. */
const noneText = ({ tags }: WatchRules): string =>
  `Adopting no more agents${tags.length > 0 ? `, except panes tagged ${tags.join(", ")} (watchdog.worker_tags)` : ""}. Adopted agents stay watched until they end, or until \`rouse unwatch NAME\`.`;

function rulesText({ programs, tags, names }: WatchRules): string {
  const parts = [
    ...(programs ? ["every known agent program"] : []),
    ...(tags.length > 0 ? [`panes tagged ${tags.join(", ")}`] : []),
    ...(names.length > 0
      ? [`the tmux ${names.length === 1 ? "session or pane" : "sessions or panes"} ${names.join(", ")}`]
      : []),
  ];
  const isByName = !programs && tags.length === 0;
  const appear = names.length === 1 ? "now and when it appears" : "now and when they appear";
  return `Watching ${new Intl.ListFormat("en").format(parts)}, ${isByName ? appear : "running now or later"}`;
}
