/** `rouse eval`: scores the judgement on a labelled corpus and lists its errors with their reasons. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { DIAGNOSIS_RUNNERS } from "../../config/diagnosis.js";
import { COMPLETION_MARKER } from "../../core/defaults.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { type BarResult, checkBars, type Figures, withCases } from "../../eval/bars.js";
import {
  type CorpusScore,
  evalEvents,
  evalLive,
  evalResetTimes,
  evalSessions,
  readSegments,
  type Segments,
} from "../../eval/corpus.js";
import { PUBLIC_SETS } from "../../eval/diagnosis/failed-run.js";
import { KINDS } from "../../programs/registry.js";
import { SOURCE_NAMES } from "../../replay/case-folder.js";
import { BadInput } from "../../replay/files.js";
import { isFolder, type ReplayOptions } from "../../replay/replay-case.js";
import { findCases } from "../find-cases.js";
import { checkKind, parseSources, parseZone } from "../options.js";
import { loadProfiles } from "../profiles.js";
import { EVENT_STREAMS, eachRow, LABELLED_SEGMENTS, SINGLE_SCREENS } from "../rows.js";
import { figuresText, worstText } from "../text/eval.js";
import { isColoured } from "../text/paint.js";
import { startProgress } from "../text/progress.js";
import { snakeCased } from "../text/snake-case.js";
import { foldText } from "../text/width.js";
import { runDiagnosisEval } from "./eval-diagnosis.js";

export function addEval(program: Command, setExit: (code: number) => void): void {
  program
    .command("eval")
    .summary("Score the judgement on a labelled corpus")
    .description(
      "Replay every labelled case and compare the verdicts with the labels.\n" +
        "DIR is a folder of case folders, or a corpus with live/, peer_cases.jsonl, screens.jsonl and sessions/ + segments.jsonl.\n" +
        "With --diagnosis, score the causes that rules and a model name for labelled incidents (see docs/diagnosis.md).",
    )
    .argument("[dirs...]", "corpus folders or folders of cases")
    .option("--diagnosis <dir>", "folder with incidents.jsonl")
    .addOption(new Option("--format <set>", "DIR is your copy of a public set").choices(PUBLIC_SETS))
    .addOption(new Option("--runner <name>", "ask this runner too (costs money)").choices(DIAGNOSIS_RUNNERS))
    .option("--json", "print all figures as JSON")
    .option("--worst", "list misses and false alarms with their reasons")
    .option("--strict", "exit 1 if a target is missed")
    .option(
      "--kind <kind>",
      `read every recording as this kind of program: ${KINDS.join(", ")}, or the id of --profile`,
    )
    .option("--profile <file>", "a profile of your own (TOML or JSON) over the built-in ones")
    .addOption(new Option("--sources <list>", `read only these: ${SOURCE_NAMES.join(", ")}`).argParser(parseSources))
    .addOption(
      new Option("--tz <zone>", "time zone of printed times that name none").default("UTC").argParser(parseZone),
    )
    .option("--marker <text>", "completion marker that agents were asked to print", COMPLETION_MARKER)
    .action(async (dirs, options, command) => {
      const { diagnosis, format, runner } = options;
      if (diagnosis !== undefined) {
        if (dirs.length > 0) command.error("error: --diagnosis takes no other folders", { exitCode: 2 });
        setExit(await runDiagnosisEval({ ...options, diagnosis, format, runner }));
        return;
      }
      if (runner !== undefined || format !== undefined)
        command.error("error: --runner and --format need --diagnosis", { exitCode: 2 });
      if (dirs.length === 0) command.error("error: missing required argument 'dirs'", { exitCode: 2 });
      const profiles = options.profile ? await loadProfiles(options.profile) : [];
      const complaint = checkKind(options.kind, profiles);
      if (complaint) command.error(complaint, { exitCode: 2 });
      const replay: ReplayOptions = {
        sources: options.sources ?? new Set(SOURCE_NAMES),
        zone: options.tz,
        marker: options.marker,
        ...(options.kind ? { agent: options.kind } : {}),
        profiles,
      };
      // The other parts of a corpus have one source, and name their program themselves.
      const isWhole = options.sources === undefined && options.kind === undefined;
      let failed = false;
      const complain = (message: string): void => {
        failed = true;
        process.stderr.write(foldText(`rouse: ${sanitize(message, 1000)}\n`, process.stderr));
      };
      const parts = await partsOf(dirs, complain);
      const figures = withCases(await evalParts(parts, replay, isWhole, complain));
      const bars = checkBars(figures);
      if (Object.keys(figures).length === 0) {
        const recordings = isWhole ? "case" : "recording, which --sources and --kind are for,";
        if (!failed)
          complain(`nothing was scored: no ${recordings} in ${dirs.join(", ")} has a label; see docs/replay.md`);
        setExit(1);
        return;
      }
      if (options.json) process.stdout.write(`${sanitizedJson(snakeCased({ ...figures, bars }), 1)}\n`);
      else {
        const colour = isColoured(process.stdout);
        process.stdout.write(figuresText(figures, bars, { colour, columns: process.stdout.columns ?? 100 }));
        if (options.worst) process.stdout.write(worstText(figures, colour));
      }
      if (failed || (options.strict && bars.some((bar: BarResult) => bar.met === false))) setExit(1);
    });
}

interface Parts {
  live: string[];
  events: string[];
  screens: string[];
  /** Folders with `segments.jsonl`. */
  sessions: string[];
}

async function partsOf(dirs: readonly string[], complain: (message: string) => void): Promise<Parts> {
  const parts: Parts = { live: [], events: [], screens: [], sessions: [] };
  const once = new Map(dirs.map((dir) => [resolve(dir), dir]));
  for (const dir of once.values()) {
    try {
      await addParts(dir, parts, complain);
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      complain(error.message);
    }
  }
  return parts;
}

async function addParts(dir: string, parts: Parts, complain: (message: string) => void): Promise<void> {
  if (!(await isFolder(dir)))
    throw new BadInput(`${dir} is a file; \`rouse eval\` takes folders (use \`rouse replay\` for single recordings)`);
  const has = (name: string): boolean => existsSync(join(dir, name));
  const files = { events: has("peer_cases.jsonl"), screens: has("screens.jsonl"), sessions: has("segments.jsonl") };
  if (files.events) parts.events.push(join(dir, "peer_cases.jsonl"));
  if (files.screens) parts.screens.push(join(dir, "screens.jsonl"));
  if (files.sessions) parts.sessions.push(dir);
  const isCorpus = Object.values(files).includes(true);
  if (isCorpus && !has("live")) return;
  const cases = await findCases([has("live") ? join(dir, "live") : dir], (error) => complain(error.message));
  parts.live = [...new Set([...parts.live, ...cases])];
}

/** Event streams, screens and transcripts have one source each: they are skipped if sources are chosen. */
async function evalParts(
  { live, events, screens, sessions }: Parts,
  replay: ReplayOptions,
  isWhole: boolean,
  complain: (message: string) => void,
): Promise<Figures> {
  const figures: Figures = {};
  const orComplain = (error: unknown): void => {
    if (!(error instanceof BadInput)) throw error;
    complain(error.message);
  };
  // A bad file does not keep the others from being scored.
  const rowsOf =
    (files: readonly string[], shape: Parameters<typeof eachRow>[1]) =>
    async (each: (row: Record<string, unknown>) => unknown) => {
      for (const file of files) await eachRow(file, shape, each).catch(orComplain);
    };
  const reported = <T>(what: string, { figures: scored, unlabelled, strange, unread }: CorpusScore<T>): T => {
    unread.forEach(complain);
    const remark = (text: string, names: readonly string[]): void => {
      if (names.length > 0)
        process.stderr.write(`rouse: ${what} ${text}: ${names.length} (${listed(names)}); see docs/replay.md\n`);
    };
    remark("without a valid label, not scored", unlabelled);
    remark("with an invalid label, scored without that stretch", strange);
    return scored;
  };
  if (live.length > 0)
    figures.live = reported(
      "recordings",
      await watched("replaying", live.length, (step) => evalLive(live, replay, step)),
    );
  if (!isWhole) return figures;
  if (events.length > 0)
    figures.events = reported(
      "event streams",
      await watched("event streams", null, (step) => evalEvents(rowsOf(events, EVENT_STREAMS), replay, step)),
    );
  if (screens.length > 0)
    figures.resetTimes = reported(
      "screens",
      await watched("reset times", null, (step) => evalResetTimes(rowsOf(screens, SINGLE_SCREENS), replay, step)),
    );
  if (sessions.length > 0) {
    const segments: Segments = { byFile: new Map(), unlabelled: [], strange: [] };
    for (const dir of sessions)
      await readSegments(dir, rowsOf([join(dir, "segments.jsonl")], LABELLED_SEGMENTS), segments);
    figures.sessions = reported(
      "stretches of transcripts",
      await watched("transcripts", segments.byFile.size, (step) => evalSessions(segments, replay, step)),
    );
  }
  return figures;
}

const NAMED_MAX = 5;

const listed = (names: readonly string[]): string =>
  [
    ...names.slice(0, NAMED_MAX).map((name) => sanitize(name, 120)),
    ...(names.length > NAMED_MAX ? [`and ${names.length - NAMED_MAX} more`] : []),
  ].join(", ");

async function watched<T>(
  title: string,
  total: number | null,
  run: (step: (label: string) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress(title, total);
  try {
    return await run((label) => progress.step(label));
  } finally {
    progress.end();
  }
}
