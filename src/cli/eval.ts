/** `rouse eval`: scores the judgement on a labelled corpus, and names what it got wrong with the reasons it gave. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { plainJson } from "../core/plain.js";
import { type BarResult, checkBars, type Figures } from "../eval/bars.js";
import { evalEvents, evalLive, evalScreens, evalSessions } from "../eval/corpus.js";
import { SOURCE_NAMES } from "../replay/case-folder.js";
import { BadInput } from "../replay/files.js";
import { isFolder, type ReplayOptions } from "../replay/replay-case.js";
import { figuresText, worstText } from "./eval-text.js";
import { parseSources, parseZone } from "./options.js";
import { isColoured } from "./paint.js";
import { loadProfiles } from "./profiles.js";
import { startProgress } from "./progress.js";
import { eachRow, expand } from "./replay.js";

export function addEval(program: Command, setExit: (code: number) => void): void {
  program
    .command("eval")
    .summary("score the judgement on a labelled corpus")
    .description(
      "Replays every labelled case and compares what rouse says with the truth.\n" +
        "DIR is a folder of case folders, or a corpus with live/, peer_cases.jsonl, screens.jsonl and sessions/ + segments.jsonl.",
    )
    .argument("<dirs...>", "corpus folders or folders of cases")
    .option("--json", "all figures as JSON")
    .option("--worst", "list misses and false alarms with the reasons given")
    .option("--strict", "exit with 1 when a bar is missed")
    .option("--profile <file>", "a profile of your own (TOML or JSON) over the built-in ones")
    .addOption(new Option("--sources <list>", `read only these: ${SOURCE_NAMES.join(", ")}`).argParser(parseSources))
    .addOption(
      new Option("--tz <zone>", "zone of clock times that a program prints without one")
        .default("UTC")
        .argParser(parseZone),
    )
    .action(async (dirs, options) => {
      const replay: ReplayOptions = {
        sources: options.sources ?? new Set(SOURCE_NAMES),
        zone: options.tz,
        profiles: options.profile ? await loadProfiles(options.profile) : [],
      };
      const figures = await evalDirs(dirs, replay, options.sources === undefined);
      const bars = checkBars(figures);
      if (options.json) process.stdout.write(`${plainJson({ ...figures, bars }, 1)}\n`);
      else {
        const colour = isColoured(process.stdout);
        process.stdout.write(figuresText(figures, bars, colour));
        if (options.worst) process.stdout.write(worstText(figures, colour));
      }
      const { live } = figures;
      if (live && live.cases === 0 && Object.keys(figures).length === 1)
        process.stderr.write(
          "rouse: none of these recordings says what was true, so nothing was scored: meta.json needs a timeline (docs/replay.md)\n",
        );
      if (options.strict && bars.some((bar: BarResult) => bar.met === false)) setExit(1);
    });
}

/** Event streams, screens and transcripts have one source each, so they are left out when sources are chosen. */
async function evalDirs(dirs: readonly string[], replay: ReplayOptions, allSources: boolean): Promise<Figures> {
  const figures: Figures = {};
  for (const dir of dirs) {
    if (!(await isFolder(dir)))
      throw new BadInput(`${dir} is a file; rouse eval takes folders (use rouse replay for single recordings)`);
    const part = (name: string): string | null => (existsSync(join(dir, name)) ? join(dir, name) : null);
    const [live, events, screens, segments] = [
      part("live"),
      part("peer_cases.jsonl"),
      part("screens.jsonl"),
      part("segments.jsonl"),
    ];
    const isCorpus = live || events || screens || segments;
    if (!isCorpus || live) {
      const paths = await expand([live ?? dir], (error) => {
        throw error;
      });
      figures.live = await watched("replaying", paths.length, (step) => evalLive(paths, replay, step));
    }
    if (events && allSources)
      figures.events = await watched("event streams", 1, () => evalEvents((each) => eachRow(events, each)));
    if (screens && allSources)
      figures.screens = await watched("screens", 1, () => evalScreens((each) => eachRow(screens, each)));
    if (segments && allSources)
      figures.sessions = await watched("transcripts", 100, (step) =>
        evalSessions(dir, (each) => eachRow(segments, each), replay, step),
      );
  }
  return figures;
}

async function watched<T>(
  title: string,
  total: number,
  run: (step: (label: string) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress(title, total);
  try {
    return await run((label) => progress.step(label));
  } finally {
    progress.end();
  }
}
