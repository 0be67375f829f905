/** Parses a request to press keys from the socket: complete and of the right types, or null. */
import type { Keys, Precondition } from "../core/policy/typing-checks.js";

type Fields = Readonly<Record<string, unknown>>;

export function keysOf(value: unknown): Keys | null {
  const { kind, text, press, chars } = fieldsOf(value);
  if (kind === "text" && typeof text === "string") return { kind, text };
  if (kind === "submit") return { kind };
  if (kind === "interrupt" && isCount(press)) return { kind, press };
  if (kind === "erase" && isCount(chars)) return { kind, chars };
  return null;
}

/** An incomplete precondition would permit too much, so it is rejected. */
export function preconditionOf(value: unknown): Precondition | null {
  const { draft, turn, quietMs, composerDigest } = fieldsOf(value);
  const isWhole =
    typeof draft === "string" &&
    (turn === "idle" || turn === "running" || turn === "unknown") &&
    typeof quietMs === "number" &&
    quietMs >= 0 &&
    typeof composerDigest === "string";
  return isWhole ? { draft, turn, quietMs, composerDigest } : null;
}

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
