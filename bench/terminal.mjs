/** Reading a terminal, signals included, beside the bare emulator given the same writes. */

import xterm from "@xterm/headless";
import { generic } from "../dist/programs/generic/screens.js";
import { profileFor } from "../dist/programs/registry.js";
import { TerminalReader } from "../dist/readers/terminal.js";
import { sideBySideInPieces, timed } from "./measure.mjs";
import { bytesOf, casesIn, FIXTURES, inkFlood, LOOK_MS, readRecording } from "./recordings.mjs";

/**
 * Of small recordings, more rounds: fifteen of them would measure code that is still being compiled, on both sides, where
 * a watchdog runs for days.
 */
const BYTES_READ = 60_000_000;
const roundsFor = (list, rounds) => Math.max(rounds, Math.min(100, Math.ceil(BYTES_READ / bytesOf(list))));

export function benchTerminal({ rounds, cases }) {
  const recordings = casesIn(cases ?? FIXTURES)
    .map(readRecording)
    .filter(Boolean);
  const kinds = groupByAgent(recordings);
  if (!cases) kinds["ink flood"] = [inkFlood()];
  const measured = Object.entries(kinds).map(([kind, list]) => ({
    kind: `${kind} (${list.length} recordings`,
    bytes: bytesOf(list),
    best: sideBySideInPieces(
      { bare: () => list.flatMap(readBare), rouse: () => list.flatMap(readWithSignals) },
      roundsFor(list, rounds),
    ),
  }));
  const total = (of) => measured.reduce((all, one) => all + of(one), 0);
  const best = { bare: total((one) => one.best.bare), rouse: total((one) => one.best.rouse) };
  return [{ kind: "all of them (together", bytes: total((one) => one.bytes), best }, ...measured].map(rowOf);
}

function rowOf({ kind, bytes, best }) {
  return {
    name: `terminal reading, ${kind}, ${(bytes / 1e6).toFixed(2)} MB)`,
    figure: best.bare / best.rouse,
    unit: "× bare emulator",
    relation: ">=",
    bar: 0.7,
    detail: { bareMBps: bytes / best.bare / 1000, rouseMBps: bytes / best.rouse / 1000 },
  };
}

function groupByAgent(recordings) {
  const groups = {};
  for (const recording of recordings) {
    const { id } = profileFor(recording.agent);
    // A program without a profile of its own is known by its recordings' name.
    const kind = id === "generic" ? recording.agent : id;
    groups[kind] ??= [];
    groups[kind].push(recording);
  }
  return groups;
}

/** Milliseconds of the writes before each look. */
function readBare({ cols, rows, looks }) {
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  const ms = looks.map((writes) =>
    timed(() => {
      for (const bytes of writes) {
        // The same way in as the reader's: parsed at once, not in a timer.
        terminal.input("", true);
        terminal.write(bytes);
      }
    }),
  );
  terminal.dispose();
  return ms;
}

/** Milliseconds of the same writes and of the look. */
function readWithSignals({ agent, cols, rows, looks }) {
  const reader = new TerminalReader(profileFor(agent), { cols, rows, zone: "UTC", structure: generic });
  let signals = 0;
  const ms = looks.map((writes, look) =>
    timed(() => {
      for (const bytes of writes) reader.write(bytes);
      signals += reader.look((look + 1) * LOOK_MS).length;
    }),
  );
  reader.dispose();
  if (signals === 0) throw new Error("the recording gave no signal: nothing was measured");
  return ms;
}
