/** `rouse doctor`: what rouse can see, what it cannot, and how to fix it. */
import type { Command } from "@commander-js/extra-typings";
import { type LoadedConfig, loadConfig } from "../../../config/load.js";
import { type RousePaths, rousePaths } from "../../../config/paths.js";
import { sanitize, sanitizedJson } from "../../../core/text/sanitize.js";
import { askDaemon, DaemonUnreachable } from "../../../daemon/client.js";
import type { PulseView } from "../../../daemon/self/pulse.js";
import type { SessionCoverage } from "../../../daemon/views/coverage.js";
import type { JournalStats } from "../../../store/journal.js";
import { listSessions } from "../../../terminal/registry.js";
import { alertSettings } from "../../alert-settings.js";
import { call } from "../../client.js";
import { isColoured, paintText } from "../../text/paint.js";
import { columnsOf, foldLine } from "../../text/width.js";
import { readVersion } from "../../version.js";
import { alarmLine, alertLines } from "./alarm.js";
import { PORT, portLine } from "./http.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";
import {
  configLines,
  diskLines,
  folderLines,
  formatMegabytes,
  nodeLine,
  sqliteLine,
  staleLines,
  tmuxLine,
} from "./machine.js";
import { hookLines, profileLines, programLines } from "./programs.js";

export function addDoctor(program: Command, setExit: (code: number) => void): void {
  program
    .command("doctor")
    .summary("what rouse can see, what it cannot, and how to mend it; exit 1 when something fails")
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const lines = await examine(rousePaths(), readVersion());
      process.stdout.write(json ? `${sanitizedJson({ checks: lines })}\n` : doctorText(lines, process.stdout));
      if (lines.some(({ level }) => level === "fail")) setExit(1);
    });
}

async function examine(paths: RousePaths, version: string): Promise<DoctorLine[]> {
  const [tmux, programs, daemon] = await Promise.all([tmuxLine(), programLines(), daemonLines(paths, version)]);
  // Only a daemon that answers tells of its port.
  const isUp = daemon.some(({ what }) => what === PORT);
  const stale = staleLines(paths);
  // The daemon tells of the channels that it has read.
  const alerts = isUp && stale.length === 0 ? undefined : (loaded: LoadedConfig) => alertSettings(loaded).issues;
  return [
    nodeLine(),
    sqliteLine(),
    ...daemon,
    ...folderLines(paths),
    ...diskLines(paths),
    ...configLines(loadConfig, alerts),
    ...stale,
    tmux,
    ...programs,
    ...profileLines(),
    ...hookLines(isUp),
  ];
}

/** The daemon, its journal, and each agent as the daemon sees it. */
async function daemonLines(paths: RousePaths, version: string): Promise<DoctorLine[]> {
  let health: { version?: unknown; pid?: unknown; since_tick_ms?: number | null };
  try {
    health = (await askDaemon(paths.daemonSocket, "GET", "/v1/health")) as typeof health;
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return [notRunning(paths), alarmLine({ daemon: null })];
  }
  const theirs = sanitize(String(health.version), 40);
  const daemon =
    theirs === version
      ? okLine("daemon", `up, release ${theirs}, process ${Number(health.pid)}`)
      : failLine("daemon", `it is of release ${theirs}, this is ${version}`, "rouse down, then rouse up; agents go on");
  // A daemon of another release may not know these.
  const orNull = <T>(answer: Promise<T>): Promise<T | null> => answer.catch(() => null);
  const [own, seen, alerts] = await Promise.all([
    orNull(call("daemon", {})),
    orNull(call("sources", {})),
    orNull(call("alert_status", {})),
  ]);
  const { journal = null, http = null, pulses = [] } = own ?? {};
  return [
    daemon,
    ...pulseLines(pulses),
    ...(journal ? [journalLine(journal)] : []),
    ...(http ? [portLine(http)] : []),
    alarmLine({
      daemon: {
        sinceTickMs: health.since_tick_ms,
        isJudging: loadConfig().config.health.enabled,
        failures: journal?.failures ?? 0,
        alerts,
      },
    }),
    ...alertLines(alerts),
    ...(seen?.agents.map(agentLine) ?? []),
  ];
}

/** The daemon's own alarm path: who notices when it is gone. */
export function pulseLines(pulses: readonly PulseView[]): DoctorLine[] {
  if (pulses.length === 0)
    return [
      warnLine(
        "sign of life",
        "nobody outside notices when the daemon is gone; a host that misses it starts it again",
        "rouse init --service, or set daemon.dead_man_url",
      ),
    ];
  return pulses.map(({ to, every_secs, failures, error, last_ok }) =>
    error === null
      ? okLine("sign of life", `to ${sanitize(to, 80)} every ${every_secs} s, last ${last_ok ?? "not yet"}`)
      : failLine("sign of life", `${failures} failed: ${sanitize(error)}`, PULSE_FIX),
  );
}

const PULSE_FIX = "look at daemon.dead_man_url, the network, or systemd-notify";

/** It starts with the first agent; only one that should be there and is not is a problem. */
function notRunning(paths: RousePaths): DoctorLine {
  const alive = listSessions(paths).filter(({ isAlive }) => isAlive).length;
  return alive > 0
    ? failLine("daemon", `it does not answer, and nobody judges the ${alive} agents that run`, "rouse up")
    : warnLine("daemon", "not running; it starts with the first agent", "rouse up");
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function journalLine({ engine, sessions, signals, bytes, lost, failures, lastError }: JournalStats): DoctorLine {
  const says = `${counted(signals, "signal")} of ${counted(sessions, "session")}, ${formatMegabytes(bytes)}, ${engine}`;
  if (failures > 0)
    return failLine(
      "journal",
      `${says}; ${failures} writes failed: ${sanitize(lastError ?? "")}`,
      "look at the disk's space and mode",
    );
  if (lost > 0)
    return warnLine("journal", `${says}; ${lost} signals were lost`, "a host could not reach the daemon for long");
  return okLine("journal", says);
}

export function agentLine({ name, kind, origin, blind, sees, misses }: SessionCoverage): DoctorLine {
  const what = `agent ${name}`;
  if (blind) return failLine(what, `${kind} by ${origin}: rouse does not see it: ${blind}`, BLIND_FIXES[origin]);
  const seen = `${kind} by ${origin}: sees ${sees.join(", ") || "nothing yet"}`;
  if (misses.length === 0) return okLine(what, seen);
  return warnLine(
    what,
    `${seen}; not ${misses.map((miss) => miss.what).join(", ")}`,
    [...new Set(misses.map((miss) => miss.fix))].join("; "),
  );
}

const BLIND_FIXES: Readonly<Record<SessionCoverage["origin"], string>> = {
  run: `look at its host with "ps"; "kill -CONT" wakes one that is stopped; else end it and start it again`,
  spawn: `look at its host with "ps"; "kill -CONT" wakes one that is stopped; else end it and start it again`,
  tmux: "look whether its tmux server answers and its pane has at least 20 columns and 4 rows",
  transcript: "look whether its process runs and belongs to you",
};

const MARKS = { ok: ["ok  ", "green"], warn: ["warn", "yellow"], fail: ["FAIL", "red"] } as const;

export function doctorText(
  lines: readonly DoctorLine[],
  screen: { isTTY?: boolean; columns?: number | undefined },
): string {
  const colour = isColoured(screen);
  const columns = columnsOf(screen);
  const width = Math.min(24, Math.max(...lines.map(({ what }) => what.length)));
  return lines
    .map(({ level, what, says, fix }) => {
      const [mark, ink] = MARKS[level];
      const [first = "", ...rest] = foldLine(`${mark}  ${what.padEnd(width)}  ${says}`, columns, width + 8);
      const fixes = fix === null ? [] : foldLine(`${" ".repeat(width + 8)}-> ${fix}`, columns, 3);
      return [
        paintText(mark, ink, colour) + first.slice(mark.length),
        ...rest,
        ...fixes.map((line) => paintText(line, "dim", colour)),
        "",
      ].join("\n");
    })
    .join("");
}
