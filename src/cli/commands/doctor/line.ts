/** The result of one check. */
export interface DoctorLine {
  /** The part that was checked. */
  name: string;
  level: "ok" | "warn" | "fail";
  message: string;
  /** How to fix it; null when nothing is wrong. */
  fix: string | null;
}

export const okLine = (name: string, message: string): DoctorLine => ({ name, level: "ok", message, fix: null });
export const warnLine = (name: string, message: string, fix: string): DoctorLine => ({
  name,
  level: "warn",
  message,
  fix,
});
export const failLine = (name: string, message: string, fix: string): DoctorLine => ({
  name,
  level: "fail",
  message,
  fix,
});
