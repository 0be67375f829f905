// Runs in its own pid namespace (see recycled-pid.test.ts): makes the kernel reuse a process number, and
// lets rouse act on the process that had it first. Prints how often that happened and how often rouse was fooled.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { identityOf, ProcessSensor } from "../../dist/sensors/process/process-sensor.js";
import { stopTree } from "../../dist/terminal/stop-tree.js";

const rounds = Number(process.argv[2]);
const start = () => spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
const end = (child) =>
  new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGKILL");
  });

const sensor = new ProcessSensor({ socketsEveryMs: 0 });
let recycled = 0;
let fooled = 0;
for (let round = 0; round < rounds * 3 && recycled < rounds; round++) {
  const first = start();
  const target = { pid: first.pid, start: identityOf(first.pid), ownsGroup: true };
  // Start times have steps of 10 ms: a process that lives shorter has no identity of its own.
  await sleep(15);
  await end(first);
  writeFileSync("/proc/sys/kernel/ns_last_pid", String(target.pid - 1));
  const second = start();
  if (second.pid === target.pid) {
    recycled++;
    await sensor.refresh(Date.now());
    const { alive } = sensor.sample(target, Date.now());
    const { processes } = await stopTree(target, 0);
    if (alive !== false || processes > 0 || identityOf(second.pid) === null) fooled++;
  }
  await end(second);
}
console.log(JSON.stringify({ recycled, fooled }));
