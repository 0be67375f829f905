/**
 * A mutant of the code that ends processes may aim at any process of this machine. So a signal reaches only processes that
 * the tests started themselves: they inherit the variable of the run, or descend from it if their environment was built from
 * nothing. Anything else is refused.
 */
import { readFileSync } from "node:fs";

const MARK = "ROUSE_MUTANT=";
const kill = process.kill.bind(process);

process.kill = (pid, signal) => {
  if (signal === 0 || isOfThisRun(Math.abs(pid))) return kill(pid, signal);
  throw Object.assign(new Error(`process ${pid} is not part of the mutation run`), { code: "EPERM" });
};

function isOfThisRun(pid) {
  if (!(pid > 1)) return false;
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return environ.some((entry) => entry.startsWith(MARK)) || descends(pid);
  } catch {
    // It has ended already, and its pid is free.
    return false;
  }
}

function descends(pid) {
  let at = pid;
  // The parent is the second field after the name, which may hold spaces and brackets.
  while (at > 1 && at !== process.pid)
    at = Number(readFileSync(`/proc/${at}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
  return at === process.pid;
}
