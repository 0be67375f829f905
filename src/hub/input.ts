/** Checks and cleans what callers pass in, the same for both stores. Texts come from agents and trackers: all are hostile. */
import { sanitize } from "../core/text/sanitize.js";
import type { Holder, NewCheckpoint, NewHubMessage, NewTask, TaskChanges, TaskFields } from "./hub.js";
import { HubError } from "./hub-error.js";

export const LIMITS = {
  title: 500,
  /** Description, diagnosis, QA requirements: characters each. */
  body: 200_000,
  step: 2_000,
  steps: 500,
  name: 200,
  tags: 50,
  blockedBy: 200,
  check: 100,
  checkpoint: 4_000,
  comment: 20_000,
  payload: 200_000,
  leaseMs: 7 * 24 * 3_600_000,
} as const;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** Lines and tabs are kept. */
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const LABELS = {
  qa: "QA requirements",
  blockedBy: "blocked-by",
  maxContinuations: "the number of continuations",
  lastError: "the last error",
} as const;

type Checks = { [Name in keyof TaskChanges]-?: (value: unknown, label: string) => unknown };

const CHECKS: Checks = {
  title: (value, label) => lineOf(value, label, LIMITS.title, false),
  description: (value, label) => bodyOf(value, label, LIMITS.body),
  diagnosis: (value, label) => bodyOf(value, label, LIMITS.body),
  qa: (value, label) => bodyOf(value, label, LIMITS.body),
  check: (value, label) => (value === null ? null : argumentsOf(value, label)),
  steps: (value, label) =>
    listOf(value, label, LIMITS.steps).map((step, index) =>
      lineOf(step, `step ${index + 1}`, LIMITS.step, false, CONTROL),
    ),
  project: (value, label) => lineOf(value, label, LIMITS.name),
  kind: (value, label) => lineOf(value, label, LIMITS.name, false),
  stage: (value, label) => lineOf(value, label, LIMITS.name),
  priority: (value, label) => integerOf(value, label, -1_000_000, 1_000_000),
  score: (value, label) => (value === null ? null : numberOf(value, label)),
  threshold: (value, label) => (value === null ? null : numberOf(value, label)),
  cycle: (value, label) => integerOf(value, label, 0, 1_000_000),
  parent: (value, label) => (value === null ? null : idOf(value, label)),
  tags: (value, label) => [
    ...new Set(listOf(value, label, LIMITS.tags).map((tag) => lineOf(tag, "a tag", LIMITS.name, false))),
  ],
  blockedBy: (value, label) => [...new Set(listOf(value, label, LIMITS.blockedBy).map((id) => idOf(id, label)))],
  workspace: (value, label) => (value === null ? null : lineOf(value, label, 4_096, false)),
  maxContinuations: (value, label) => integerOf(value, label, 0, 100),
  attempts: (value, label) => integerOf(value, label, 0, 1_000_000),
  lastError: (value, label) => (value === null ? null : bodyOf(value, label, LIMITS.checkpoint)),
};

/** Unknown fields are refused: a misspelled one would be lost silently. */
export function checkChanges(changes: TaskChanges): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof TaskChanges] : undefined;
    if (!check) throw invalid(`a task has no field ${JSON.stringify(sanitize(name, 60))}`);
    checked[name] = check(value, (LABELS as Record<string, string>)[name] ?? `the ${name}`);
  }
  return checked;
}

const DEFAULTS: Omit<TaskFields, "title"> = {
  description: "",
  diagnosis: "",
  qa: "",
  check: null,
  steps: [],
  project: "",
  kind: "task",
  stage: "",
  priority: 0,
  score: null,
  threshold: null,
  cycle: 0,
  parent: null,
  tags: [],
  blockedBy: [],
  workspace: null,
  maxContinuations: 2,
};

export function checkNewTask({ status = "pending", source, sourceKey, ...fields }: NewTask): Record<string, unknown> {
  if (status !== "pending" && status !== "proposed")
    throw invalid(`a new task is pending or proposed, not ${JSON.stringify(sanitize(String(status), 60))}`);
  if ((source === undefined) !== (sourceKey === undefined))
    throw invalid("a task of a source needs both the source and its key there");
  if (fields.title === undefined) throw invalid("a task needs a title");
  return {
    ...DEFAULTS,
    ...checkChanges(fields),
    status,
    source: source === undefined ? null : lineOf(source, "the source", LIMITS.name, false),
    sourceKey: sourceKey === undefined ? null : lineOf(sourceKey, "the source key", LIMITS.title, false),
  };
}

export function checkHolder({ agent, session, leaseMs }: Holder, standard: number): Record<string, unknown> {
  return {
    agent: lineOf(agent, "the agent", LIMITS.name, false),
    session: lineOf(session, "the session", LIMITS.name, false),
    leaseMs: leaseMs === undefined ? standard : integerOf(leaseMs, "the lease", 100, LIMITS.leaseMs),
  };
}

/** A long text is cut, and its control bytes are removed: an agent's checkpoint must not be lost for its form. */
export function checkCheckpoint({
  step,
  text,
  source,
  inferred = false,
  at,
  key,
}: NewCheckpoint): Record<string, unknown> {
  return {
    step: step === undefined || step === null ? null : integerOf(step, "the step", 0, 1_000_000),
    text: sanitize(String(text), LIMITS.checkpoint),
    source,
    inferred,
    at: at === undefined ? null : integerOf(at, "the time", 0, Number.MAX_SAFE_INTEGER),
    key: key === undefined ? null : lineOf(key, "the key", LIMITS.title, false),
  };
}

export function checkMessage({ receiver, key, type, sender, payload }: NewHubMessage): Record<string, unknown> {
  const json = JSON.stringify(payload ?? null);
  if (json.length > LIMITS.payload)
    throw invalid(`a message has at most ${LIMITS.payload} characters, found ${json.length}`);
  return {
    receiver: lineOf(receiver, "the receiver", LIMITS.name, false),
    key: lineOf(key, "the key", 1_000, false),
    type: lineOf(type, "the type", LIMITS.name, false),
    sender: lineOf(sender, "the sender", LIMITS.name, false),
    // PostgreSQL has no NUL in JSON.
    payload: JSON.parse(json.replaceAll("\\u0000", "\\ufffd")) as unknown,
  };
}

function invalid(message: string): HubError {
  return new HubError("invalid", message);
}

export function idOf(value: unknown, label: string): number {
  return integerOf(value, label, 1, Number.MAX_SAFE_INTEGER);
}

export function integerOf(value: unknown, label: string, min: number, max: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${label} must be a whole number from ${min} to ${max}, found ${shown(value)}`);
}

/** One line without control characters. */
export function lineOf(value: unknown, label: string, max: number, mayBeEmpty = true, refused = CONTROL): string {
  if (typeof value !== "string") throw invalid(`${label} must be a text, found ${shown(value)}`);
  if (value.length > max) throw invalid(`${label} has at most ${max} characters, found ${value.length}`);
  if (refused.test(value)) throw invalid(`${label} must be one line without control characters, found ${shown(value)}`);
  if (!mayBeEmpty && value.trim() === "") throw invalid(`${label} must not be empty`);
  return value.trim().replace(LONE, "\ufffd");
}

/** Text of several lines: control characters other than line breaks and tabs are removed. */
export function bodyOf(value: unknown, label: string, max: number): string {
  if (typeof value !== "string") throw invalid(`${label} must be a text, found ${shown(value)}`);
  if (value.length > max) throw invalid(`${label} has at most ${max} characters, found ${value.length}`);
  return value.replaceAll("\r\n", "\n").replace(CONTROL_IN_TEXT, "").replace(LONE, "\ufffd");
}

function numberOf(value: unknown, label: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalid(`${label} must be a number, found ${shown(value)}`);
}

function listOf(value: unknown, label: string, max: number): unknown[] {
  if (!Array.isArray(value)) throw invalid(`${label} must be a list, found ${shown(value)}`);
  if (value.length > max) throw invalid(`${label} has at most ${max} entries, found ${value.length}`);
  return value;
}

function argumentsOf(value: unknown, label: string): string[] {
  const list = listOf(value, label, LIMITS.check);
  if (list.length === 0) throw invalid(`${label} must name a program`);
  return list.map((argument) => {
    if (typeof argument !== "string" || argument.includes("\0") || argument.length > LIMITS.step)
      throw invalid(`${label} must be a list of texts, found ${shown(argument)}`);
    return argument;
  });
}

const shown = (value: unknown): string => sanitize(JSON.stringify(value) ?? String(value), 80);
