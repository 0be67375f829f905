/** The files in which projects show work: the sources of seed 004, and the result files of test programs. */
import { canonicalJson } from "../../core/digest.js";
import { asRecord } from "../../readers/records/json.js";

export interface WorkspaceSources {
  /** Written after finished work. */
  devlog: readonly string[];
  /** The agent's own status. */
  status: readonly string[];
  /** Folders of messages to the agent: a message that disappears was processed. */
  inbox: readonly string[];
  /** Files with a list of messages. */
  queue: readonly string[];
  contract: readonly string[];
  /** Event files of the project's own telemetry, one JSON object per line. */
  telemetry: readonly string[];
}

/** Patterns relative to an agent's folder: * matches any part of a name, ** any folders. */
export const DEFAULT_SOURCES: WorkspaceSources = {
  devlog: ["devlogs/**/*.md", "devlog/**/*.md", "DEVLOG*.md"],
  status: ["status.json", "agent_workspaces/*/status.json"],
  inbox: ["inbox/*", "agent_workspaces/*/inbox/*"],
  queue: ["message_queue/*.json", "message_queue.json"],
  contract: ["contracts/*.json"],
  telemetry: ["runtime/agent_comms/activity_events.jsonl", "activity_events.jsonl", "telemetry/*.jsonl"],
};

export interface TestSource {
  pattern: string;
  /** Result in the file: true passed, false failed, null unknown. */
  ok: (text: string) => boolean | null;
}

const untold = (): null => null;
const HEAD_MAX = 4000;

export const TEST_SOURCES: readonly TestSource[] = [
  { pattern: ".pytest_cache/v/cache/lastfailed", ok: (text) => text.trim() === "{}" },
  { pattern: ".pytest_cache/v/cache/nodeids", ok: untold },
  { pattern: ".coverage", ok: untold },
  { pattern: "coverage/coverage-final.json", ok: untold },
  { pattern: "coverage/lcov.info", ok: untold },
  { pattern: "coverage.xml", ok: untold },
  { pattern: "test-results/.last-run.json", ok: (text) => lastRun(text) },
  { pattern: "junit*.xml", ok: junit },
  { pattern: "test-results/*.xml", ok: junit },
  { pattern: "test-reports/*.xml", ok: junit },
  { pattern: "build/test-results/*/*.xml", ok: junit },
  { pattern: "target/surefire-reports/*.xml", ok: junit },
  { pattern: "node_modules/.vite/vitest/*/results.json", ok: vitest },
  { pattern: "node_modules/.vite/vitest/results.json", ok: vitest },
  { pattern: "node_modules/.vitest/results.json", ok: vitest },
  { pattern: ".phpunit.result.cache", ok: untold },
  { pattern: ".phpunit.cache/test-results", ok: untold },
];

/** The counts are in the first elements. */
function junit(text: string): boolean | null {
  const counts = [...text.slice(0, HEAD_MAX).matchAll(/\b(?:failures|errors)="(\d{1,9})"/g)];
  return counts.length === 0 ? null : counts.every(([, count]) => Number(count) === 0);
}

function lastRun(text: string): boolean | null {
  const status = asRecord(parse(text))?.status;
  return status === "passed" ? true : status === "failed" ? false : null;
}

function vitest(text: string): boolean | null {
  const results = asRecord(parse(text))?.results;
  if (!Array.isArray(results)) return null;
  return results.every((entry) => !(Array.isArray(entry) && asRecord(entry[1])?.failed === true));
}

/** Names of fields with times, which are not content. */
const TIMES = /time|date|_at$|At$|updated|heartbeat|seen|checked|cycle_count/i;

/** Content of a status file without its times: a file with only a new time has no new content. */
export function statusWithoutTimes(text: string): string {
  const value = parse(text);
  const record = asRecord(value);
  if (record === null) return text;
  return canonicalJson(Object.fromEntries(Object.entries(record).filter(([name]) => !TIMES.test(name.slice(0, 100)))));
}

/** Number of messages in a queue file; null if it is not a list. */
export function queueDepth(text: string): number | null {
  const value = parse(text);
  if (Array.isArray(value)) return value.length;
  const list = Object.values(asRecord(value) ?? {}).find(Array.isArray);
  return list === undefined ? null : list.length;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
