/** `rouse watch`: adopts what already runs, in tmux or in any other terminal. */
import type { Command } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../core/text/sanitize.js";
import type { WatchRules } from "../../daemon/intake/watch-rules.js";
import { collectNames, collectTag } from "../arguments.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { loadSettings } from "../settings.js";

export function addWatch(program: Command): void {
  program
    .command("watch")
    .summary("watch agents that already run: tmux panes and other terminals")
    .description(
      "Adopts agents that rouse did not start. Without a name, every tmux pane and process that holds a known agent program;\n" +
        "with names (of tmux sessions, or pane ids such as %3) or tags, only those. Nothing is typed and nothing is ended.",
    )
    .argument("[names...]", "tmux sessions or pane ids", collectNames)
    .option("--tag <tag...>", "panes with this tag in @rouse_tags", collectTag)
    .option(
      "--none",
      "adopt nobody any more, but those that the configuration names; those adopted stay watched until they end",
    )
    .option("--json", "for programs")
    .action(async (names, { tag = [], none, json }, self) => {
      if (none && names.length + tag.length > 0)
        self.error("error: --none adopts nobody; leave names and --tag out", { exitCode: 2 });
      loadSettings();
      await ensureDaemon();
      const wanted: WatchRules = {
        programs: names.length === 0 && tag.length === 0 && !none,
        tags: tag,
        names,
        ...(none ? { again: true } : {}),
      };
      const rules = await call("watch", wanted);
      process.stdout.write(json ? `${sanitizedJson(rules)}\n` : `${rulesText(rules)}; see them with "rouse status"\n`);
    });
}

function rulesText({ programs, tags, names }: WatchRules): string {
  const parts = [
    ...(programs ? ["every known agent program"] : []),
    ...(tags.length > 0 ? [`panes tagged ${tags.join(", ")}`] : []),
    ...(names.length > 0 ? [`panes called ${names.join(", ")}`] : []),
  ];
  if (parts.length === 0) return "watching only what rouse starts";
  return `watching ${new Intl.ListFormat("en").format(parts)}, as soon as they are there`;
}
