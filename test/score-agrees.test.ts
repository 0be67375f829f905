/**
 * Our scorer and the corpus's own `score.py` give the same figures. Both score the same made-up timelines: a true
 * one, one that is always working, and scrambled ones whose changes are close to the edges of the truth's
 * segments, where the grace rules decide.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TimelineEntry } from "../src/core/judgement/timeline.js";
import { type Cause, STATES, type State } from "../src/core/states.js";
import { scoreEvents } from "../src/eval/events.js";
import { type LiveCase, type LiveTruth, scoreLive } from "../src/eval/live.js";
import { parseEventTruth, parseLiveTruth } from "../src/eval/truth.js";

const corpus = process.env.ROUSE_CORPUS ?? "";
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const reason = !corpus
  ? "ROUSE_CORPUS is not set"
  : !existsSync(join(corpus, "score.py"))
    ? "no score.py in ROUSE_CORPUS"
    : hasPython
      ? ""
      : "there is no python3";

const SCRAMBLES = process.env.ROUSE_FULL ? 60 : 6;
const CAUSES: (Cause | null)[] = [
  null,
  null,
  "loop",
  "no_progress",
  "auth",
  "billing",
  "stopped_early",
  "silent_stream",
];
/** Seconds around an edge of a segment: just inside and outside of every grace. */
const OFFSETS = [-11, -9, -0.7, -0.3, 0, 0.2, 2, 2.9, 3.1, 4.9, 8, 40, 130];
const RIGHT: Record<string, [State, Cause?]> = {
  hung: ["stuck", "silent_stream"],
  tool_hung: ["stuck", "tool_hang"],
  looping: ["stuck", "loop"],
  waiting_permission: ["needs_input", "permission"],
  waiting_trust: ["needs_input", "trust"],
  waiting_input: ["needs_input", "input"],
  usage_limited: ["rate_limited", "limit"],
  auth_error: ["error", "auth"],
  billing_error: ["error", "billing"],
  context_full: ["error", "context_full"],
  stopped_error: ["error", "api"],
  unreachable: ["error", "unreachable"],
  crashed: ["gone"],
  done: ["complete"],
};

function entry(t: number, state: State, cause: Cause | null = null): TimelineEntry {
  return { t, state, cause, confidence: 1, until: null, reasons: ["made up"] };
}

function oracle(truth: LiveTruth): TimelineEntry[] {
  return truth.timeline.map(([t, state]) => entry(t, ...(RIGHT[state] ?? ["working"])));
}

/** A small generator of pseudo-random choices, so that a failure can be run again. */
function chooser(seed: number) {
  let x = seed * 2654435761 + 1;
  return <T>(values: readonly T[]): T => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return values[Math.floor((x / 4294967296) * values.length)] as T;
  };
}

function scrambled(truth: LiveTruth, seed: number): TimelineEntry[] {
  const choose = chooser(seed);
  const edges = truth.timeline.flatMap(([t, state]) => {
    const right = RIGHT[state] ?? (["working"] as [State]);
    return [0, 1, 2].map(() => {
      const at = Math.max(0, t + choose(OFFSETS));
      return choose([0, 1, 2]) > 0 ? entry(at, ...right) : entry(at, choose(STATES), choose(CAUSES));
    });
  });
  return edges.sort((a, b) => a.t - b.t);
}

function lines(file: string): unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

if (reason) console.info(`score.py is not compared: ${reason}`);

describe.skipIf(reason)("our scorer agrees with score.py", () => {
  let scratch: string;
  let truths: { name: string; truth: LiveTruth }[];

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "rouse-score-"));
    truths = readdirSync(join(corpus, "live"), { recursive: true, encoding: "utf8" })
      .filter((file) => basename(file) === "meta.json")
      .map((file) => dirname(file))
      .sort()
      .flatMap((folder) => {
        const truth = parseLiveTruth(JSON.parse(readFileSync(join(corpus, "live", folder, "meta.json"), "utf8")));
        return truth ? [{ name: folder.split("/").slice(-2).join("/"), truth }] : [];
      });
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  function python(mode: string, printed: object[], truth: string): string {
    const replay = join(scratch, `${mode}.jsonl`);
    writeFileSync(replay, printed.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const run = spawnSync("python3", [join(corpus, "score.py"), mode, replay, join(corpus, truth)], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    expect(run.stderr).toBe("");
    return run.stdout;
  }

  function expectSameLive(timelineOf: (truth: LiveTruth, index: number) => TimelineEntry[]) {
    const cases: LiveCase[] = truths.map(({ name, truth }, index) => {
      return { name, truth, timeline: timelineOf(truth, index) };
    });
    const printed = cases.map(({ name, timeline }) => ({ case: name, timeline: timeline ?? [] }));
    const output = python("live", printed, "live");
    const theirs = JSON.parse(output.slice(0, output.lastIndexOf("}") + 1));
    const ours = scoreLive(cases);

    for (const [state, { detected, of, p50, p95 }] of Object.entries(ours.states)) {
      expect({ state, ...theirs[state], missed: undefined }).toEqual({ state, detected, of, p50, p95 });
    }
    expect(theirs.pooled).toEqual({ detected: ours.pooled.detected, of: ours.pooled.of, p95: ours.pooled.p95 });
    expect(theirs.not_held.map(([name, truth]: string[]) => [name, truth])).toEqual(
      ours.notHeld.map((one) => [one.case, one.truth]),
    );
    expect(theirs.right_state_wrong_cause.map(([name]: string[]) => name)).toEqual(
      ours.wrongCause.map((one) => one.case),
    );
    expect([theirs.cases, theirs.false_alarms.n, theirs.false_completions.n]).toEqual([
      ours.cases,
      ours.falseAlarms.length,
      ours.falseCompletions.length,
    ]);
    expect(theirs.false_alarms.list.map(([name, , ...rest]: string[]) => [name, ...rest])).toEqual(
      ours.falseAlarms.slice(0, 25).map((one) => [one.case, one.truth, one.state, one.cause]),
    );
    const perHour = ours.falseAlarms.length / (ours.quietSeconds / 3600);
    expect(theirs.false_alarms.per_quiet_hour).toBeCloseTo(perHour, 1);
    expect(output).toContain(`live: ${ours.total.detected}/${ours.total.of} detected`);
    return ours;
  }

  it("on live cases, with true verdicts", () => {
    const ours = expectSameLive(oracle);
    expect(ours.total.detected).toBe(ours.total.of);
    expect(ours.total.of).toBeGreaterThan(0);
    expect([ours.falseAlarms, ours.falseCompletions, ours.notHeld]).toEqual([[], [], []]);
  });

  it("on live cases, with verdicts that all is well", () => {
    expect(expectSameLive(() => [entry(0, "working")]).total.detected).toBe(0);
  });

  it("on live cases, with random verdicts near every edge", () => {
    let wrong = 0;
    for (let seed = 1; seed <= SCRAMBLES; seed++) {
      const ours = expectSameLive((truth, index) => scrambled(truth, seed * 1000 + index));
      wrong += ours.falseAlarms.length + ours.notHeld.length + ours.wrongCause.length;
    }
    expect(wrong).toBeGreaterThan(SCRAMBLES);
  });

  it("on event streams", () => {
    const rows = lines(join(corpus, "peer_cases.jsonl")).flatMap((row) => parseEventTruth(row) ?? []);
    for (let seed = 1; seed <= SCRAMBLES; seed++) {
      const choose = chooser(seed);
      const cases = rows.map((truth) => {
        const timeline = [0, 1, 2].map((t) => entry(t, choose(["stuck", "working"]), choose(CAUSES)));
        return { truth, timeline };
      });
      const printed = cases.map(({ truth, timeline }) => ({ case: truth.id, timeline }));
      const output = python("events", printed, "peer_cases.jsonl");
      const ours = scoreEvents(cases);
      for (const nature of ["semantic", "all"] as const) {
        const line = output.split("\n").find((text) => text.startsWith(`${nature}: `)) ?? "";
        const numbers = line
          .slice(0, line.indexOf(")"))
          .match(/\d+(?:\.\d+)?/g)
          ?.map(Number);
        const { precision, recall, truePositives, falsePositives, falseNegatives, trueNegatives } = ours[nature];
        const shares = [precision, recall].map((share) => expect.closeTo(share ?? Number.NaN, 2));
        expect(numbers).toEqual([...shares, truePositives, falsePositives, falseNegatives, trueNegatives]);
      }
    }
  });
});
