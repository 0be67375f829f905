/**
 * The journal as it ages: bytes per agent and day, with the signals of recorded sessions at the pace of their checks and
 * those of a scripted agent, and the processor time of a restart after a million signals of twenty agents.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodeState } from "../dist/core/node-state.js";
import { step } from "../dist/core/step.js";
import { OBSERVE_ONLY } from "../dist/core/step-rules.js";
import { DaemonClock } from "../dist/daemon/self/clock.js";
import { Compaction } from "../dist/daemon/self/compaction.js";
import { restoreSessions } from "../dist/daemon/self/restore.js";
import { generic } from "../dist/programs/generic/screens.js";
import { profileFor, traitsOf } from "../dist/programs/registry.js";
import { TerminalReader } from "../dist/readers/terminal/terminal.js";
import { openJournal } from "../dist/store/journal.js";
import { CHECK_MS, casesIn, FIXTURES, readRecording } from "./recordings.mjs";
import { step as scripted } from "./signals.mjs";

const RELEASE = "bench";
const AGENTS = 20;
const SIGNALS = 1_000_000;
/** An agent is busy for so long: its journal is measured over this time, and a day of it computed. */
const BUSY_MS = 15 * 60_000;
const DAY_MS = 24 * 3_600_000;
const START = Date.now() - 10 * DAY_MS;

const COMMIT_EVERY = 100;

const MB = 1e6;
const DAY_BYTES_MAX = 5 * MB;
const RESTART_MS_MAX = 2000;

const settingsFor = ({ kind }) => ({ traits: traitsOf(profileFor(kind)) });

export async function benchJournal() {
  const day = await busyDays();
  const age = await oldJournal();
  return [
    {
      name: "journal of a busy agent, per day",
      figure: day.small,
      unit: "bytes",
      relation: "<=",
      bar: DAY_BYTES_MAX,
      detail: { withoutPacking: day.plain, ratio: day.plain / day.small, signalsPerDay: day.signals },
    },
    {
      name: `restart after ${SIGNALS.toLocaleString("en")} signals of ${AGENTS} agents, CPU`,
      figure: age.restartMs,
      unit: "ms",
      relation: "<=",
      bar: RESTART_MS_MAX,
      detail: {
        read: age.read,
        openMs: age.openMs,
        journalMB: age.bytes / MB,
        unpackedMB: age.text / MB,
        wholeMs: age.wholeMs,
        ofAnotherReleaseMs: age.otherMs,
        pieceMs: age.pieceMs,
        longestPieceMs: age.longestMs,
      },
    },
  ];
}

/** Agents of all recorded programs, each over and over again, and one that also writes a stream and a transcript. */
async function busyDays() {
  const scripts = [...casesIn(FIXTURES).map(readRecording).filter(Boolean).map(signalsOf), scriptedAgent()];
  const small = await written(scripts, true);
  const plain = await written(scripts, false);
  const perDay = DAY_MS / BUSY_MS / scripts.length;
  return { small: small.bytes * perDay, plain: plain.bytes * perDay, signals: small.signals * perDay };
}

async function written(scripts, packs) {
  return inJournal(({ journal, state, compaction, path }) => {
    const sessions = scripts.map(({ kind }, n) => register(journal, state, n, kind));
    let signals = 0;
    for (let at = 0, check = 0; at < BUSY_MS; at += CHECK_MS, check++) {
      for (const [n, { checks }] of scripts.entries()) {
        const found = checks[check % checks.length];
        signals += found.length;
        if (found.length > 0) append(journal, sessions[n], found, START + at);
      }
      if (check % COMMIT_EVERY !== 0) continue;
      journal.flush();
      while (packs && compaction.step(START + at));
    }
    journal.flush();
    for (let later = 0; packs && compaction.step(START + BUSY_MS + 3_600_000 + later); later++);
    prune(journal);
    journal.close();
    return { bytes: statSync(path).size, signals };
  });
}

/** The journal after a million signals, made as the daemon makes it, then read as a restart does. */
async function oldJournal() {
  return inJournal(({ journal, state, compaction, path }) => {
    const sessions = Array.from({ length: AGENTS }, (_, n) => register(journal, state, n, "claude-code"));
    const pieces = [];
    let text = 0;
    for (let n = 0, taken = 0; taken < SIGNALS; n++) {
      const signals = scripted(n);
      const now = START + n * 900;
      for (const session of sessions) append(journal, session, signals, now);
      taken += signals.length * AGENTS;
      text += JSON.stringify(signals).length * AGENTS;
      if (n % COMMIT_EVERY !== 0) continue;
      journal.flush();
      for (let isMore = true; isMore; ) {
        const from = performance.now();
        isMore = compaction.step(now);
        pieces.push(performance.now() - from);
      }
    }
    journal.flush();
    prune(journal);
    journal.close();
    const bytes = statSync(path).size;
    const { openMs, ...short } = restart(path, RELEASE);
    const other = restart(path, "another release");
    pieces.sort((a, b) => a - b);
    return {
      bytes,
      text,
      openMs,
      restartMs: short.ms + openMs,
      read: short.read,
      otherMs: other.ms + other.openMs,
      wholeMs: restart(path, "a third release", Number.POSITIVE_INFINITY).ms,
      pieceMs: pieces[pieces.length >> 1],
      longestMs: pieces.at(-1),
    };
  });
}

function restart(path, release, signalsMax) {
  const from = cpuMs();
  const { journal } = openJournal(path);
  const openMs = cpuMs() - from;
  const clock = new DaemonClock();
  const now = clock.now();
  const state = createNodeState({ ...OBSERVE_ONLY, settingsFor });
  const options = { state, journal, clock, lastObserved: { now, wall: now, uptime: null }, release };
  const restoring = restoreSessions(signalsMax === undefined ? options : { ...options, signalsMax });
  let next = restoring.next();
  while (!next.done) next = restoring.next();
  const ms = cpuMs() - from - openMs;
  if (state.sessions.size !== AGENTS) throw new Error("not every session was restored; nothing was measured");
  journal.close();
  return { ms, openMs, read: next.value.signals };
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function inJournal(measure) {
  const folder = mkdtempSync(join(tmpdir(), "rouse-bench-"));
  const path = join(folder, "journal.db");
  try {
    const { journal } = openJournal(path, { commitWithinMs: 1e9 });
    const state = createNodeState({ ...OBSERVE_ONLY, settingsFor });
    const compaction = new Compaction({ journal, state, release: RELEASE });
    return await measure({ journal, state, compaction, path });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each append is a batch of its own; committed together, or the disk is what is measured. */
function append(journal, { id }, signals, now) {
  const timed = signals.map((signal) => ({ ...signal, at: now }));
  journal.append(id, null, timed, now).catch((error) => {
    throw error;
  });
}

function register(journal, state, n, kind) {
  const session = {
    id: `bench-${n}`,
    name: `bench-${n}`,
    kind,
    tags: [],
    origin: "spawn",
    command: [kind],
    workspace: null,
    task: null,
    policy: null,
    pid: null,
    pidStart: null,
    startedAt: START,
    hostSocket: null,
    pane: null,
    endedAt: null,
  };
  journal.putSession(session);
  step(state, { kind: "restore", session }, START);
  return session;
}

/** Returns free pages to the disk; removes nothing. */
function prune(journal) {
  while (journal.prune({ now: Date.now(), maxAgeMs: 1e12, maxBytes: 1e12 }).more);
}

/** The signals of a recorded session's terminal, check by check. */
function signalsOf({ agent, cols, rows, checks }) {
  const profile = profileFor(agent);
  const reader = new TerminalReader(profile, { cols, rows, zone: "UTC", structure: generic });
  const found = checks.map((writes, check) => {
    for (const bytes of writes) reader.write(bytes);
    return reader.check((check + 1) * CHECK_MS);
  });
  reader.dispose();
  return { kind: profile.id, checks: found };
}

function scriptedAgent() {
  const every = Math.max(1, Math.round(900 / CHECK_MS));
  return {
    kind: "claude-code",
    checks: Array.from({ length: 40_000 }, (_, n) => (n % every === 0 ? scripted(n / every) : [])),
  };
}
