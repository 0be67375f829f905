/** A part that a program does not have, with the reason. */
export interface Absent {
  readonly absent: string;
}

/** Code that is loaded when it is needed. */
export type LazyLoad<T> = () => Promise<T>;

/** The part, or null if it is absent. */
export function partOf<T extends object>(part: T | Absent): T | null {
  return "absent" in part ? null : part;
}
