/**
 * What the signals of a session say about its work besides its own reports: commits, passing tests, calls that others can see,
 * completed items of its todo list. The state is plain data per session; what is due is decided here.
 */
import { digest } from "../core/digest.js";
import type { MarkedCheckpoint, Signal, Todos } from "../core/signal.js";
import { sanitize } from "../core/text/sanitize.js";
import type { CheckpointSource } from "../hub/hub.js";
import { isVisibleCall } from "./session-effects.js";

/** Tests, commits and todo lists in quick succession count once. */
const EVERY_MS = 30_000;
const SUBJECT_MAX = 200;
/** A reply in a loop must not flood the task. */
const MARKS_PER_PERIOD = 20;
const CALLS_MAX = 50;

export interface Inferred {
  source: CheckpointSource;
  text: string;
  key: string;
}

export interface Marked extends MarkedCheckpoint {
  at: number;
  by: Signal["source"];
}

export interface WorkFacts {
  takenAt: Partial<Record<"test" | "commit" | "todo", number>>;
  /** Calls under way: subjects of visible ones, and those that write the task files of the program. */
  calls: Map<string, string>;
  listCalls: Set<string>;
  todos: Todos | null;
  /** Completed items when the last checkpoint was made. */
  todosDone: number;
  marks: { from: number; count: number };
}

export const createWorkFacts = (): WorkFacts => ({
  takenAt: {},
  calls: new Map(),
  listCalls: new Set(),
  todos: null,
  todosDone: 0,
  marks: { from: 0, count: 0 },
});

export interface DueWork {
  marked: Marked[];
  inferred: Inferred[];
  isGreen: boolean;
  /** The program wrote its task files. */
  readsTaskFiles: boolean;
}

/** Takes signals in, and returns what has to be stored now. */
export function takeWork(facts: WorkFacts, signals: readonly Signal[], now: number): DueWork {
  const due: DueWork = { marked: [], inferred: [], isGreen: false, readsTaskFiles: false };
  for (const signal of signals) {
    switch (signal.kind) {
      case "message":
        if (signal.role === "assistant" && isRecord(signal))
          for (const mark of signal.checkpoints ?? [])
            if (mayMark(facts, now)) due.marked.push({ ...mark, at: Math.min(signal.at, now), by: signal.source });
        break;
      case "tool_start":
        if (signal.nested) break;
        if (signal.todos) facts.todos = signal.todos;
        if (/^task[_-]?update$/i.test(signal.tool)) addBounded(facts.listCalls, signal.id);
        if (isVisibleCall(signal.subject)) setBounded(facts.calls, signal.id, signal.subject ?? "");
        break;
      case "tool_end": {
        if (facts.listCalls.delete(signal.id)) due.readsTaskFiles = true;
        const subject = facts.calls.get(signal.id);
        facts.calls.delete(signal.id);
        if (subject !== undefined && signal.ok && !signal.background)
          due.inferred.push({
            source: "tool",
            text: `Succeeded: ${sanitize(subject, SUBJECT_MAX)}`,
            key: `call ${digest(signal.id)}`,
          });
        break;
      }
      case "commit":
        if (isDue(facts, "commit", now)) due.inferred.push(commitCheckpoint(signal.id, signal.subject));
        break;
      case "test":
        if (signal.ok === true && isDue(facts, "test", now)) due.isGreen = true;
        break;
      default:
    }
  }
  const listed = dueTodos(facts, now);
  if (listed) due.inferred.push(listed);
  return due;
}

/** A checkpoint for newly completed items; what is not due yet stays for a later call. */
export function dueTodos(facts: WorkFacts, now: number): Inferred | null {
  const { todos, todosDone } = facts;
  if (todos === null) return null;
  // A new list starts from nothing.
  if (todos.done < todosDone) facts.todosDone = todos.done;
  if (todos.done <= facts.todosDone || !isDue(facts, "todo", now)) return null;
  facts.todosDone = todos.done;
  const last = todos.last === undefined ? "" : `; last: ${sanitize(todos.last, SUBJECT_MAX)}`;
  return {
    source: "todo",
    text: `Todo list: ${todos.done} of ${todos.of} done${last}`,
    key: `todo ${todos.done}/${todos.of} ${digest(last)}`,
  };
}

/** One mark that two records report is one checkpoint; progress without a step may be reported again later. */
export const markKey = ({ step, text, at }: Marked): string =>
  `marker ${step ?? `p${Math.floor(at / (5 * 60_000))}`} ${digest(text)}`;

/** Records of the program itself; a hook or a report can be sent by any process. */
const isRecord = ({ source }: Signal): boolean => source === "transcript" || source === "stream";

function isDue({ takenAt }: WorkFacts, kind: keyof WorkFacts["takenAt"], now: number): boolean {
  if (now - (takenAt[kind] ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
  takenAt[kind] = now;
  return true;
}

function mayMark(facts: WorkFacts, now: number): boolean {
  if (now - facts.marks.from >= EVERY_MS) facts.marks = { from: now, count: 0 };
  facts.marks.count++;
  return facts.marks.count <= MARKS_PER_PERIOD;
}

function addBounded(set: Set<string>, value: string): void {
  if (set.size >= CALLS_MAX) set.clear();
  set.add(value);
}

function setBounded(map: Map<string, string>, key: string, value: string): void {
  if (map.size >= CALLS_MAX) map.clear();
  map.set(key, value);
}

const commitCheckpoint = (id: string, subject = ""): Inferred => ({
  source: "commit",
  text: `Commit ${sanitize(id.slice(0, 12), 12)}: ${sanitize(subject, SUBJECT_MAX)}`,
  key: `commit ${sanitize(id, 64)}`,
});
