/** A part that a program does not have, and why. */
export interface Absent {
  readonly absent: string;
}

/** Code that is loaded when it is needed. */
export type Load<T> = () => Promise<T>;

/** The part, or null where it is absent. */
export function partOf<T extends object>(part: T | Absent): T | null {
  return "absent" in part ? null : part;
}
