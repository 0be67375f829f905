/** One line of what the doctor found. */
export interface DoctorLine {
  /** The part that was looked at. */
  what: string;
  level: "ok" | "warn" | "fail";
  says: string;
  /** How to mend it; null when nothing is wrong. */
  mend: string | null;
}

export const ok = (what: string, says: string): DoctorLine => ({ what, level: "ok", says, mend: null });
export const warn = (what: string, says: string, mend: string): DoctorLine => ({ what, level: "warn", says, mend });
export const fail = (what: string, says: string, mend: string): DoctorLine => ({ what, level: "fail", says, mend });
