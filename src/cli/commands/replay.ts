/** `rouse replay`: turns a recording into an explained timeline. */
import { type Command, Option } from "@commander-js/extra-typings";
import { COMPLETION_MARKER } from "../../core/defaults.js";
import type { IncidentState } from "../../core/incidents/incident.js";
import type { Policy, SessionOrigin } from "../../core/policy/policy.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { WhatIf } from "../../core/what-if.js";
import { canDoWith } from "../../effects/index.js";
import { KINDS } from "../../programs/registry.js";
import type { ProfileOverride } from "../../programs/shared/profile.js";
import { SOURCE_NAMES } from "../../replay/case-folder.js";
import { isCast } from "../../replay/cast.js";
import { BadInput } from "../../replay/files.js";
import { isFolder, type ReplayOptions, type ReplayResult, replayCase, replayCast } from "../../replay/replay-case.js";
import { replayEvents, replaySignals, replayTranscript } from "../../replay/replay-records.js";
import { findCases } from "../find-cases.js";
import { checkKind, parseMoment, parseSources, parseZone } from "../options.js";
import { parseOrigin, policyOf } from "../policy-option.js";
import { loadProfiles } from "../profiles.js";
import { EVENT_STREAMS, eachRow } from "../rows.js";
import { explainText } from "../text/explain.js";
import { isColoured } from "../text/paint.js";
import { wouldEntry, wouldText } from "../text/simulated-actions.js";
import { snakeCased } from "../text/snake-case.js";
import { timelineText } from "../text/timeline.js";
import { foldText } from "../text/width.js";
import { WrongOption } from "../wrong-option.js";

export function addReplay(program: Command, setExit: (code: number) => void): void {
  const command = program
    .command("replay")
    .summary("Turn recordings into explained timelines")
    .description(
      "Judge a recording on a virtual clock and print each state with its time and reasons. PATH is a case folder, a\n" +
        "folder of case folders, a .cast file, a transcript, or - for a cast on standard input.",
    )
    .argument("[paths...]", "case folders, .cast files, transcripts, or -")
    .option("--json", "print one JSON line per case")
    .option("--events <file>", "event streams, one case per line ({id, events})")
    .option("--transcript <file>", "transcript, event stream or export of an agent (JSON)")
    .option("--signals <file>", "stored signals, one JSON object per line")
    .option("--kind <kind>", `kind of program, overrides the recording: ${KINDS.join(", ")}, or the id of --profile`)
    .option("--profile <file>", "your own profile (TOML or JSON), overrides the built-in ones")
    .option("--policy <policy>", "show what this policy would have done: name or file")
    .addOption(
      new Option(
        "--origin <origin>",
        "with --policy: how rouse knows the agent: run, spawn, tmux, transcript (another terminal)",
      )
        .default("spawn" as SessionOrigin, "spawn")
        .argParser(parseOrigin),
    )
    .addOption(
      new Option(
        "--explain [at]",
        "show screen, regions, matched rules and signals at each change, or at AT (12.5 or 1:02.5)",
      ).argParser(parseMoment),
    )
    .addOption(new Option("--sources <list>", `read only these: ${SOURCE_NAMES.join(", ")}`).argParser(parseSources))
    .addOption(
      new Option("--tz <zone>", "time zone for clock times printed without one").default("UTC").argParser(parseZone),
    )
    .option("--marker <text>", "text that agents print when all work is done", COMPLETION_MARKER)
    .addHelpText(
      "after",
      "\nExamples:\n  rouse replay test/fixtures/cases\n  rouse replay --json session.cast --kind codex\n  gzip -dc session.cast.gz | rouse replay -\n",
    )
    .action(async (paths, options) => {
      const isOriginGiven = command.getOptionValueSource("origin") === "cli";
      refuseUseless({ ...options, origin: isOriginGiven ? options.origin : undefined });
      const profiles = options.profile ? await loadProfiles(options.profile) : [];
      const complaint = checkKind(options.kind, profiles);
      if (complaint) command.error(complaint, { exitCode: 2 });
      const policy = options.policy === undefined ? null : policyOf(options.policy);
      const replay: ReplayOptions = {
        sources: options.sources ?? new Set(SOURCE_NAMES),
        zone: options.tz,
        marker: options.marker,
        ...(options.kind ? { agent: options.kind } : {}),
        profiles,
        ...(options.explain === undefined ? {} : { explainAt: options.explain === true ? null : options.explain }),
        ...(policy ? { whatIf: whatIfOf(policy, options.origin, profiles) } : {}),
      };
      const kinds = new Set<string>();
      const print = printer(options.json === true, policy?.name ?? null);
      const out = (replayed: Printed & { kind: string }): void => {
        kinds.add(replayed.kind);
        print(replayed);
      };
      const { events, transcript, signals } = options;
      if (paths.length === 0 && [events, transcript, signals].every((file) => file === undefined)) {
        command.error(
          "error: nothing to replay: give a case folder, a .cast file or -, or use --events, --transcript or --signals",
          { exitCode: 2 },
        );
      }
      let failed = 0;
      // An unreadable recording is skipped; the others are replayed.
      const skip = (error: unknown): void => {
        if (!(error instanceof BadInput)) throw error;
        failed++;
        process.stderr.write(foldText(`rouse: ${error.message}\n`, process.stderr));
      };
      const orSkip = (work: Promise<void>): Promise<void> => work.catch(skip);
      if (events !== undefined)
        await orSkip(eachRow(events, EVENT_STREAMS, async (row) => out(await replayEvents(row, replay))));
      if (transcript !== undefined) await orSkip(replayTranscript(transcript, replay).then(out));
      if (signals !== undefined) await orSkip(replaySignals(signals, replay).then(out));
      for (const path of await findCases(paths, skip)) await orSkip(replayPath(path, replay).then(out));
      for (const { id } of profiles.filter((given) => kinds.size > 0 && !kinds.has(given.id)))
        process.stderr.write(
          `rouse: the profile ${sanitize(id)} was not used; select it with --kind ${sanitize(id)}\n`,
        );
      if (failed > 0) setExit(1);
    });
}

/** Refuses options that would have no effect. */
function refuseUseless(
  given: Partial<Record<"policy" | "origin" | "sources" | "explain" | FileOfOneSource, unknown>>,
): void {
  const { policy, origin, sources, explain } = given;
  if (origin !== undefined && policy === undefined) throw new WrongOption("--origin requires --policy");
  const file = FILES_OF_ONE_SOURCE.find((name) => given[name] !== undefined);
  if (sources !== undefined && file !== undefined)
    throw new WrongOption(`--sources cannot be combined with --${file}, which has one source`);
  if (explain !== undefined && file !== undefined)
    throw new WrongOption(`--explain cannot be combined with --${file}; it is for cases and casts`);
}

const FILES_OF_ONE_SOURCE = ["events", "transcript", "signals"] as const;
type FileOfOneSource = (typeof FILES_OF_ONE_SOURCE)[number];

async function replayPath(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const folder = path !== "-" && (await isFolder(path));
  if (folder) return replayCase(path, options);
  if (path === "-" || (await isCast(path))) return replayCast(path, options);
  if (options.explainAt !== undefined) throw new BadInput(`${path} is a transcript; --explain is for cases and casts`);
  return replayTranscript(path, options);
}

/** Recordings with a date count as one machine; each without a date counts as its own machine. */
function whatIfOf(
  policy: Policy,
  origin: SessionOrigin,
  profiles: readonly ProfileOverride[],
): NonNullable<ReplayOptions["whatIf"]> {
  const node: IncidentState[] = [];
  return (kind, startAt, settings) =>
    new WhatIf({
      policy,
      origin,
      settings,
      can: canDoWith({ kind, origin }, profiles),
      ...(startAt > 0 ? { node } : {}),
    });
}

type Printed = Pick<ReplayResult, "case" | "timeline" | "wouldDo" | "startAt" | "explained"> & {
  skipped?: Map<string, number>;
};

function printer(json: boolean, policy: string | null): (replayed: Printed) => void {
  const style = { colour: isColoured(process.stdout), columns: process.stdout.columns || 100 };
  return ({ case: name, timeline, skipped, wouldDo = [], startAt = 0, explained }) => {
    const acted = policy === null ? {} : { policy, planned_steps: wouldDo.map((done) => wouldEntry(done, startAt)) };
    process.stdout.write(
      json
        ? `${sanitizedJson({ case: name, timeline, ...acted, ...(explained && { explained: snakeCased(explained) }) })}\n`
        : (explained
            ? explainText(name, explained, { ...style, columns: process.stdout.columns || 80 })
            : timelineText(name, timeline, style)) +
            (policy === null ? "" : foldText(wouldText(policy, wouldDo, startAt), process.stdout, 0)),
    );
    const lost = (skipped?.get("damaged line") ?? 0) + (skipped?.get("impossible time") ?? 0);
    if (lost > 0)
      process.stderr.write(`rouse: ${sanitize(name)}: skipped ${lost} unreadable ${lost === 1 ? "line" : "lines"}\n`);
    const unknown = [...(skipped ?? [])].filter(([kind]) => !UNDERSTOOD.has(kind));
    if (unknown.length > 0) {
      const kinds = unknown.map(([kind, n]) => `${kind} ${n}`).join(", ");
      process.stderr.write(`rouse: ${sanitize(name)}: skipped records of unknown kinds: ${sanitize(kinds, 200)}\n`);
    }
  };
}

/** Kinds that are skipped on purpose or reported as unreadable lines. */
const UNDERSTOOD: ReadonlySet<string> = new Set(["damaged line", "impossible time", "copy", "foreign thread"]);
