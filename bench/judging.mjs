/** The judgement alone: does a signal cost the same after a million as after ten thousand, and how many fit a second? */
import { assess } from "../dist/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../dist/core/judgement/evidence/evidence.js";
import { sideBySide, timed } from "./measure.mjs";
import { step } from "./signals.mjs";

const SHORT = 10_000;
const LONG = 1_000_000;
const WINDOW = 40_000;

export function benchJudging({ rounds }) {
  const short = lived(SHORT);
  const long = lived(LONG);
  const each = sideBySide(
    { short: () => judgeWindow(short, assessEach), long: () => judgeWindow(long, assessEach) },
    rounds,
  );
  const cadence = sideBySide({ long: () => judgeWindow(long, assessStep) }, rounds);
  return [
    {
      name: "judging per signal, 1 M of history against 10 k",
      figure: each.long / each.short,
      unit: "×",
      relation: "<=",
      bar: 1.2,
      detail: { shortNs: (each.short * 1e6) / WINDOW, longNs: (each.long * 1e6) / WINDOW },
    },
    {
      name: "judging, assessed once per step as a replay does",
      figure: WINDOW / (cadence.long / 1000),
      unit: "signals/s",
      relation: ">=",
      bar: 200_000,
      detail: {},
    },
  ];
}

/** Evidence after this many signals, and the following steps. */
function lived(signals) {
  const evidence = createEvidence();
  let n = 0;
  let taken = 0;
  while (taken < signals) {
    for (const signal of step(n++)) {
      takeSignal(evidence, signal);
      taken++;
    }
  }
  const next = [];
  for (let count = 0; count < WINDOW; ) {
    const signals = step(n++);
    next.push(signals);
    count += signals.length;
  }
  return { evidence, next };
}

/** Each round judges the same window from a copy of the same evidence. */
function judgeWindow({ evidence, next }, judge) {
  const copy = structuredClone(evidence);
  return timed(() => {
    for (const signals of next) judge(copy, signals);
  });
}

function assessEach(evidence, signals) {
  for (const signal of signals) {
    takeSignal(evidence, signal);
    assess(evidence, signal.at);
  }
}

function assessStep(evidence, signals) {
  for (const signal of signals) takeSignal(evidence, signal);
  assess(evidence, signals[0].at);
}
