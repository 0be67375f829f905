/** Reading a terminal, signals included, beside the bare emulator given the same writes. */

import xterm from "@xterm/headless";
import { generic } from "../dist/programs/generic/screens.js";
import { profileFor } from "../dist/programs/registry.js";
import { TerminalReader } from "../dist/readers/terminal/terminal.js";
import { sideBySideInPieces, timed } from "./measure.mjs";
import { bytesOf, CHECK_MS, casesIn, FIXTURES, inkFlood, readRecording } from "./recordings.mjs";

/**
 * More rounds for small recordings: fifteen would measure code that is still being compiled, on both sides, while a
 * watchdog runs for days.
 */
const BYTES_READ = 60_000_000;
const roundsFor = (list, rounds) => Math.max(rounds, Math.min(100, Math.ceil(BYTES_READ / bytesOf(list))));

export function benchTerminal({ rounds, cases }) {
  const recordings = casesIn(cases ?? FIXTURES)
    .map(readRecording)
    .filter(Boolean);
  const programs = Object.entries(groupByAgent(recordings)).map(([name, list]) => measure(name, list, rounds));
  const total = (of) => programs.reduce((all, one) => all + of(one), 0);
  const together = {
    name: `all recordings together (${recordings.length}`,
    bytes: total(({ bytes }) => bytes),
    best: { bare: total(({ best }) => best.bare), rouse: total(({ best }) => best.rouse) },
  };
  const flood = cases ? [] : [measure("a flood of Ink frames", [inkFlood()], rounds)];
  return [...[together, ...flood].map(ratioRow), ...programs.map(costRow)];
}

function measure(program, list, rounds) {
  return {
    name: `${program} (${list.length}`,
    bytes: bytesOf(list),
    seconds: list.reduce((sum, { seconds }) => sum + seconds, 0),
    best: sideBySideInPieces(
      { bare: () => list.flatMap(readBare), rouse: () => list.flatMap(readWithSignals) },
      roundsFor(list, rounds),
    ),
  };
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB)`;

function ratioRow({ name, bytes, best }) {
  return {
    name: `terminal reading, ${name}, ${megabytes(bytes)}`,
    figure: best.bare / best.rouse,
    unit: "× bare emulator",
    relation: ">=",
    bar: 0.7,
    detail: { bareMBps: bytes / best.bare / 1000, rouseMBps: bytes / best.rouse / 1000 },
  };
}

/** The cost of one agent of this program at the recorded pace, parsing included. */
function costRow({ name, bytes, seconds, best }) {
  return {
    name: `terminal reading, ${name}, ${megabytes(bytes)}, one agent`,
    figure: (best.rouse / (seconds * 1000)) * 100,
    unit: "% of a core",
    relation: "<=",
    bar: 0.1,
    detail: { ofTheBareEmulator: best.bare / best.rouse },
  };
}

function groupByAgent(recordings) {
  const groups = {};
  for (const recording of recordings) {
    const { id } = profileFor(recording.agent);
    // A program without a profile of its own is identified by the name of its recordings.
    const kind = id === "generic" ? recording.agent : id;
    groups[kind] ??= [];
    groups[kind].push(recording);
  }
  return groups;
}

/** Milliseconds of the writes before each check. */
function readBare({ cols, rows, checks }) {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  const ms = checks.map((writes) =>
    timed(() => {
      for (const bytes of writes) {
        // The same path as the reader's: parsed at once, not in a timer.
        terminal.input("", true);
        terminal.write(bytes);
      }
    }),
  );
  terminal.dispose();
  return ms;
}

/** Milliseconds of the same writes and of the check. */
function readWithSignals({ agent, cols, rows, checks }) {
  const reader = new TerminalReader(profileFor(agent), { cols, rows, zone: "UTC", structure: generic });
  let signals = 0;
  const ms = checks.map((writes, check) =>
    timed(() => {
      for (const bytes of writes) reader.write(bytes);
      signals += reader.check((check + 1) * CHECK_MS).length;
    }),
  );
  reader.dispose();
  if (signals === 0) throw new Error("the recording produced no signals; nothing was measured");
  return ms;
}
