/** Memory of one watched agent: its evidence, and its terminal with the readings. */

import { createEvidence, takeSignal } from "../dist/core/judgement/evidence/evidence.js";
import { generic } from "../dist/programs/generic/screens.js";
import { profileFor } from "../dist/programs/registry.js";
import { TerminalReader } from "../dist/readers/terminal/terminal.js";
import { CHECK_MS, inkFlood } from "./recordings.mjs";
import { step } from "./signals.mjs";

const AGENTS = 200;
const HISTORY_STEPS = 5_000;
/** A watched agent may take 4 MB of the daemon; these two are the parts of it that exist per agent. */
const AGENT_BYTES_MAX = 4 * 1024 * 1024;

export function benchMemory() {
  if (!globalThis.gc) return [];
  const flood = inkFlood({ frames: 60 });
  const perEvidence = bytesEach(() => {
    const evidence = createEvidence();
    for (let n = 0; n < HISTORY_STEPS; n++) for (const signal of step(n)) takeSignal(evidence, signal);
    return evidence;
  });
  const perReader = bytesEach(() => {
    const reader = new TerminalReader(profileFor("claude"), {
      cols: flood.cols,
      rows: flood.rows,
      zone: "UTC",
      structure: generic,
    });
    flood.checks.forEach((writes, check) => {
      for (const bytes of writes) reader.write(bytes);
      reader.check((check + 1) * CHECK_MS);
    });
    return reader;
  });
  const row = (name, bytes) => ({
    name,
    figure: bytes,
    unit: "bytes",
    relation: "<=",
    bar: AGENT_BYTES_MAX,
    detail: {},
  });
  return [
    row(`memory of one evidence (of ${AGENTS}, ${HISTORY_STEPS} steps of history)`, perEvidence),
    row(`memory of one terminal reader (of ${AGENTS}, 120 × 40)`, perReader),
  ];
}

function bytesEach(make) {
  make();
  const kept = [];
  const before = used();
  for (let i = 0; i < AGENTS; i++) kept.push(make());
  return (used() - before) / kept.length;
}

function used() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
