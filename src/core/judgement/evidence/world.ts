/**
 * Has the world changed? A commit, a passing test, a checkpoint, or a file or edit with a state not seen recently. An
 * edit and its undo return to a known state, so they are no change. A failed edit is none either, so the state counts
 * when the tool succeeds, not when it starts.
 */
import type { FileSignal, Signal } from "../../signal.js";
import { rememberBounded } from "./bounded.js";

export interface WorldState {
  /** Running edits: call id to the resulting state. */
  open: Map<string, string>;
  seen: Map<string, true>;
}

/** Roles of files that say or show something and are no result of work. */
const NO_CHANGE: ReadonlySet<FileSignal["role"]> = new Set<FileSignal["role"]>(["status", "telemetry", "access"]);
const OPEN_MAX = 32;
const SEEN_MAX = 128;

export function createWorld(): WorldState {
  return { open: new Map(), seen: new Map() };
}

/** Records the signal and returns whether it changed the world. */
export function takeWorld(state: WorldState, signal: Signal): boolean {
  switch (signal.kind) {
    case "tool_start":
      if (signal.after !== undefined) rememberBounded(state.open, signal.id, signal.after, OPEN_MAX);
      return false;
    case "tool_end": {
      const after = state.open.get(signal.id);
      state.open.delete(signal.id);
      return after !== undefined && signal.ok && isNew(state, `edit ${after}`);
    }
    case "file":
      if (NO_CHANGE.has(signal.role ?? "workspace") || signal.digest === undefined) return false;
      return isNew(state, `file ${signal.path} ${signal.digest}`);
    case "commit":
      return isNew(state, `commit ${signal.id}`);
    case "checkpoint":
      return isNew(state, `checkpoint ${signal.task} ${signal.step} ${signal.text}`.slice(0, 300));
    case "test":
      return signal.ok === true && isNew(state, `test ${signal.digest}`);
    default:
      return false;
  }
}

function isNew(state: WorldState, key: string): boolean {
  const known = state.seen.has(key);
  rememberBounded(state.seen, key, true, SEEN_MAX);
  return !known;
}
