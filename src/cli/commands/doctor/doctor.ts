/** `rouse doctor`: checks the installation and suggests fixes. */
import type { Command } from "@commander-js/extra-typings";
import type { JournalView } from "../../../api/service/daemon.js";
import { type LoadedConfig, loadConfig } from "../../../config/load.js";
import { type RousePaths, rousePaths } from "../../../config/paths.js";
import { sanitize, sanitizedJson } from "../../../core/text/sanitize.js";
import { askDaemon, DaemonUnreachable } from "../../../daemon/client.js";
import type { PulseView } from "../../../daemon/self/pulse.js";
import type { SessionCoverage } from "../../../daemon/views/coverage.js";
import { listSessions } from "../../../terminal/registry.js";
import { alertSettings } from "../../alert-settings.js";
import { call } from "../../client.js";
import { knownPolicies } from "../../policy-option.js";
import { isColoured, paintText } from "../../text/paint.js";
import { columnsOf, foldLine } from "../../text/width.js";
import { readVersion } from "../../version.js";
import { alarmLine, alertLines } from "./alarm.js";
import { auditLine, storedAuditLines } from "./audit.js";
import { PORT, portLine } from "./http.js";
import { type DoctorLine, failLine, okLine, warnLine } from "./line.js";
import {
  configLines,
  diskLines,
  folderLines,
  formatMegabytes,
  nodeLine,
  policyLines,
  sqliteLine,
  staleLines,
  tmuxLine,
} from "./machine.js";
import { hookLines, profileLines, programLines } from "./programs.js";

export function addDoctor(program: Command, setExit: (code: number) => void): void {
  program
    .command("doctor")
    .summary("Check the installation and suggest fixes")
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const lines = await examine(rousePaths(), readVersion());
      process.stdout.write(json ? `${sanitizedJson({ checks: lines })}\n` : doctorText(lines, process.stdout));
      if (lines.some(({ level }) => level === "fail")) setExit(1);
    });
}

async function examine(paths: RousePaths, version: string): Promise<DoctorLine[]> {
  const [tmux, programs, daemon] = await Promise.all([tmuxLine(), programLines(), daemonLines(paths, version)]);
  // Only a running daemon reports its port.
  const isUp = daemon.some(({ name }) => name === PORT);
  const stale = staleLines(paths);
  // A running daemon reports on the channels that it has loaded.
  const alerts = isUp && stale.length === 0 ? undefined : (loaded: LoadedConfig) => alertSettings(loaded).issues;
  return [
    nodeLine(),
    sqliteLine(),
    ...daemon,
    ...folderLines(paths),
    ...diskLines(paths),
    ...configLines(loadConfig, alerts),
    ...stale,
    ...policyLines(knownPolicies().issues),
    tmux,
    ...programs,
    ...profileLines(),
    ...hookLines(isUp),
  ];
}

async function daemonLines(paths: RousePaths, version: string): Promise<DoctorLine[]> {
  let health: { version?: unknown; pid?: unknown; since_tick_ms?: number | null };
  try {
    health = (await askDaemon(paths.daemonSocket, "GET", "/v1/health")) as typeof health;
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return [notRunning(paths), ...storedAuditLines(paths), alarmLine({ daemon: null })];
  }
  const theirs = sanitize(String(health.version), 40);
  const daemon =
    theirs === version
      ? okLine("daemon", `running, version ${theirs}, process ${Number(health.pid)}`)
      : failLine(
          "daemon",
          `runs version ${theirs}; this is version ${version}`,
          "run `rouse down` and `rouse up`; agents keep running",
        );
  // A daemon of another version may not support these.
  const orNull = <T>(answer: Promise<T>): Promise<T | null> => answer.catch(() => null);
  const [own, seen, alerts, audit] = await Promise.all([
    orNull(call("daemon", {})),
    orNull(call("sources", {})),
    orNull(call("alert_status", {})),
    orNull(call("audit_check", {})),
  ]);
  const { journal = null, http = null, heartbeats = [] } = own ?? {};
  return [
    daemon,
    ...pulseLines(heartbeats),
    ...(journal ? [journalLine(journal)] : []),
    ...(audit ? [auditLine(audit)] : []),
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

/** What monitors the daemon itself. */
export function pulseLines(pulses: readonly PulseView[]): DoctorLine[] {
  if (pulses.length === 0)
    return [
      warnLine(
        "daemon heartbeat",
        "nothing external monitors the daemon (the host processes of spawned agents restart it after a crash)",
        "run `rouse init --service`, or set daemon.dead_man_url",
      ),
    ];
  return pulses.map(({ to, every_secs, failures, error, last_ok }) =>
    error === null
      ? okLine("daemon heartbeat", `to ${sanitize(to, 80)} every ${every_secs} s, last sent ${last_ok ?? "never"}`)
      : failLine("daemon heartbeat", `${failures} failed: ${sanitize(error)}`, PULSE_FIX),
  );
}

const PULSE_FIX = "check daemon.dead_man_url, the network and systemd-notify";

/** The daemon starts with the first agent: it is missing only while agents run. */
function notRunning(paths: RousePaths): DoctorLine {
  const alive = listSessions(paths).filter(({ isAlive }) => isAlive).length;
  return alive > 0
    ? failLine("daemon", `not running: ${counted(alive, "agent")} unobserved`, "run `rouse up`")
    : warnLine("daemon", "not running; starts with the first agent", "run `rouse up`");
}

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

export function journalLine(journal: JournalView): DoctorLine {
  const { engine, sessions, signals, bytes, lost, skipped, failures, last_error, damage } = journal;
  const message = `${counted(signals, "signal")} of ${counted(sessions, "session")}, ${formatMegabytes(bytes)}, ${engine}`;
  if (failures > 0)
    return failLine(
      "journal",
      `${message}; ${failures} writes failed: ${sanitize(last_error ?? "")}`,
      "check free disk space and permissions",
    );
  if (damage)
    return failLine(
      "journal",
      `${message}; ${damage.at}: ${sanitize(damage.text)}`,
      "check the disk, and which program changes files in the state folder",
    );
  if (skipped > 0)
    return warnLine(
      "journal",
      `${message}; ${skipped} stored signals could not be read`,
      "a newer rouse wrote them, or the disk is faulty",
    );
  if (lost > 0)
    return warnLine(
      "journal",
      `${message}; ${lost} signals were lost`,
      "an agent's host could not reach the daemon for some time",
    );
  return okLine("journal", message);
}

export function agentLine(coverage: SessionCoverage): DoctorLine {
  const { kind, origin, unobserved_reason, available, missing } = coverage;
  const name = `agent ${coverage.name}`;
  if (unobserved_reason)
    return failLine(name, `${kind} (${origin}): cannot see it: ${unobserved_reason}`, UNOBSERVED_FIXES[origin]);
  const seen = `${kind} (${origin}): sees ${available.join(", ") || "nothing yet"}`;
  if (missing.length === 0) return okLine(name, seen);
  return warnLine(
    name,
    `${seen}; missing: ${missing.map((miss) => miss.name).join(", ")}`,
    [...new Set(missing.map((miss) => miss.fix))].join("; "),
  );
}

const UNOBSERVED_FIXES: Readonly<Record<SessionCoverage["origin"], string>> = {
  run: `check its host process with \`ps\`; if it is stopped, resume it with \`kill -CONT\`; else restart the agent`,
  spawn: `check its host process with \`ps\`; if it is stopped, resume it with \`kill -CONT\`; else restart the agent`,
  tmux: "check that its tmux server answers and its pane has at least 20 columns and 4 rows",
  transcript: "check that its process is running and belongs to you",
  report: "check that the agent is running and that its reports reach rouse",
};

const MARKS = { ok: ["ok  ", "green"], warn: ["warn", "yellow"], fail: ["FAIL", "red"] } as const;

export function doctorText(
  lines: readonly DoctorLine[],
  screen: { isTTY?: boolean; columns?: number | undefined },
): string {
  const colour = isColoured(screen);
  const columns = columnsOf(screen);
  const width = Math.min(24, Math.max(...lines.map(({ name }) => name.length)));
  return lines
    .map(({ level, name, message, fix }) => {
      const [mark, ink] = MARKS[level];
      const [first = "", ...rest] = foldLine(`${mark}  ${name.padEnd(width)}  ${message}`, columns, width + 8);
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
