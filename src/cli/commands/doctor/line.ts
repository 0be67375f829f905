/** The result of one check. */
export interface DoctorLine {
  /** The part that was checked. */
  what: string;
  level: "ok" | "warn" | "fail";
  says: string;
  /** How to fix it; null when nothing is wrong. */
  fix: string | null;
}

export const okLine = (what: string, says: string): DoctorLine => ({ what, level: "ok", says, fix: null });
export const warnLine = (what: string, says: string, fix: string): DoctorLine => ({ what, level: "warn", says, fix });
export const failLine = (what: string, says: string, fix: string): DoctorLine => ({ what, level: "fail", says, fix });
