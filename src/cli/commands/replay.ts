/** `rouse replay`: a recording in, an explained timeline out. */
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
import { BadInput } from "../../replay/files.js";
import { isFolder, type ReplayOptions, type ReplayResult, replayCase, replayCast } from "../../replay/replay-case.js";
import { replayEvents, replaySignals, replayTranscript } from "../../replay/replay-records.js";
import { findCases } from "../find-cases.js";
import { complaintOfKind, parseMoment, parseSources, parseZone } from "../options.js";
import { parseOrigin, policyOf } from "../policy-option.js";
import { loadProfiles } from "../profiles.js";
import { EVENT_STREAMS, eachRow } from "../rows.js";
import { explainText } from "../text/explain.js";
import { isColoured } from "../text/paint.js";
import { wouldEntry, wouldText } from "../text/simulated-actions.js";
import { timelineText } from "../text/timeline.js";
import { WrongOption } from "../wrong-option.js";

export function addReplay(program: Command, setExit: (code: number) => void): void {
  const command = program
    .command("replay")
    .summary("turn recordings into explained timelines")
    .description(
      "Folds a recording through today's judgement on a virtual clock and prints what rouse would have said, when and why.\n" +
        "PATH is a case folder, a folder of case folders, a .cast file, or - for standard input.",
    )
    .argument("[paths...]", "case folders, .cast files, or -")
    .option("--json", "one JSON line per case, for programs")
    .option("--events <file>", "event streams, one case per line ({id, events})")
    .option("--transcript <file>", "a transcript that an agent wrote (JSONL)")
    .option("--signals <file>", "stored signals, one JSON object per line")
    .option("--agent <kind>", `which program it is, over what the recording says: ${KINDS.join(", ")}`)
    .option("--profile <file>", "a profile of your own (TOML or JSON) over the built-in ones")
    .option("--policy <policy>", "say what this policy would have done, and when: its name, or a file")
    .addOption(
      new Option(
        "--origin <origin>",
        "with --policy: as if the agent had been started so: run, spawn, tmux or transcript",
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
      new Option("--tz <zone>", "zone of clock times that a program prints without one")
        .default("UTC")
        .argParser(parseZone),
    )
    .option("--marker <text>", "what agents were asked to write when all is done", COMPLETION_MARKER)
    .addHelpText(
      "after",
      "\nExamples:\n  rouse replay test/fixtures/cases\n  rouse replay --json session.cast --agent codex\n  gzip -dc session.cast.gz | rouse replay -\n",
    )
    .action(async (paths, options) => {
      const isOriginGiven = command.getOptionValueSource("origin") === "cli";
      refuseUseless({ ...options, origin: isOriginGiven ? options.origin : undefined });
      const profiles = options.profile ? await loadProfiles(options.profile) : [];
      const complaint = complaintOfKind(options.agent, profiles);
      if (complaint) command.error(complaint, { exitCode: 2 });
      const policy = options.policy === undefined ? null : policyOf(options.policy);
      const replay: ReplayOptions = {
        sources: options.sources ?? new Set(SOURCE_NAMES),
        zone: options.tz,
        marker: options.marker,
        ...(options.agent ? { agent: options.agent } : {}),
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
          "error: nothing to replay: name a case folder, a .cast file or -, or use --events, --transcript or --signals",
          { exitCode: 2 },
        );
      }
      let failed = 0;
      // One bad recording costs itself only: the others go on.
      const skip = (error: unknown): void => {
        if (!(error instanceof BadInput)) throw error;
        failed++;
        process.stderr.write(`rouse: ${error.message}\n`);
      };
      const orSkip = (work: Promise<void>): Promise<void> => work.catch(skip);
      if (events !== undefined)
        await orSkip(eachRow(events, EVENT_STREAMS, async (row) => out(await replayEvents(row, replay))));
      if (transcript !== undefined) await orSkip(replayTranscript(transcript, replay).then(out));
      if (signals !== undefined) await orSkip(replaySignals(signals, replay).then(out));
      for (const path of await findCases(paths, skip)) await orSkip(replayPath(path, replay).then(out));
      for (const { id } of profiles.filter((given) => kinds.size > 0 && !kinds.has(given.id)))
        process.stderr.write(
          `rouse: nothing was read by the profile ${sanitize(id)}; --agent ${sanitize(id)} has it used\n`,
        );
      if (failed > 0) setExit(1);
    });
}

/** An option that would change nothing was meant to change something, so it is refused. */
function refuseUseless(
  given: Partial<Record<"policy" | "origin" | "sources" | "explain" | FileOfOneSource, unknown>>,
): void {
  const { policy, origin, sources, explain } = given;
  if (origin !== undefined && policy === undefined)
    throw new WrongOption(
      "--origin says how the agent of a policy was started; name one with --policy, or leave it out",
    );
  const file = FILES_OF_ONE_SOURCE.find((name) => given[name] !== undefined);
  if (sources !== undefined && file !== undefined)
    throw new WrongOption(
      `--sources is for cases and casts; what --${file} names has one source: leave one of them out`,
    );
  if (explain !== undefined && file !== undefined)
    throw new WrongOption(`--explain is for cases and casts, not for --${file}: leave one of them out`);
}

const FILES_OF_ONE_SOURCE = ["events", "transcript", "signals"] as const;
type FileOfOneSource = (typeof FILES_OF_ONE_SOURCE)[number];

async function replayPath(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const folder = path !== "-" && (await isFolder(path));
  return folder ? replayCase(path, options) : replayCast(path, options);
}

/** All recordings with a date are taken to be of one machine; one without is on a machine of its own. */
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
  const style = { colour: isColoured(process.stdout), columns: process.stdout.columns ?? 100 };
  return ({ case: name, timeline, skipped, wouldDo = [], startAt = 0, explained }) => {
    const acted = policy === null ? {} : { policy, wouldDo: wouldDo.map((done) => wouldEntry(done, startAt)) };
    process.stdout.write(
      json
        ? `${sanitizedJson({ case: name, timeline, ...acted, ...(explained && { explained }) })}\n`
        : (explained
            ? explainText(name, explained, { ...style, columns: process.stdout.columns ?? 80 })
            : timelineText(name, timeline, style)) + (policy === null ? "" : wouldText(policy, wouldDo, startAt)),
    );
    const lost = (skipped?.get("damaged line") ?? 0) + (skipped?.get("impossible time") ?? 0);
    if (lost > 0)
      process.stderr.write(`rouse: ${sanitize(name)}: lines that could not be read and were left out: ${lost}\n`);
    const unknown = [...(skipped ?? [])].filter(([kind]) => !UNDERSTOOD.has(kind));
    if (unknown.length > 0) {
      const kinds = unknown.map(([kind, n]) => `${kind} ${n}`).join(", ");
      process.stderr.write(
        `rouse: ${sanitize(name)}: records of kinds that rouse does not know, left out: ${sanitize(kinds, 200)}\n`,
      );
    }
  };
}

/** What is left out for a reason: said as lost lines, or told elsewhere. */
const UNDERSTOOD: ReadonlySet<string> = new Set(["damaged line", "impossible time", "copy", "foreign thread"]);
