/** Runs test files with one mutant in a child process that stays alive over many mutants. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export function createRunner(root, workers = "1") {
  let runner = null;

  /** `{ isLate, passes, files }`. A late run is ended together with its workers. */
  async function runTests(run, timeoutMs) {
    runner ??= await startRunner();
    const child = runner;
    const over = new AbortController();
    const { signal } = over;
    const answers = [once(child, "message", { signal }), once(child, "exit", { signal }).then(() => "ended")];
    child.send(run);
    const late = sleep(timeoutMs, "late", { signal });
    const first = await Promise.race([...answers, late]);
    over.abort();
    await Promise.allSettled([...answers, late]);
    if (Array.isArray(first)) return { isLate: false, ...first[0] };
    endRunner();
    return { isLate: first === "late", passes: false, files: [] };
  }

  async function startRunner() {
    // A group of its own, so that its workers can be ended with it.
    const child = fork(join(root, "scripts", "mutation", "test-runner.mjs"), {
      cwd: root,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, ROUSE_MUTANT: "null", ROUSE_MUTANT_WORKERS: workers },
    });
    await once(child, "message");
    return child;
  }

  function endRunner() {
    const pid = runner?.pid;
    runner = null;
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }

  return { runTests, endRunner };
}
