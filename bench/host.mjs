/** The process beside each spawned agent, against an empty Node.js. */
import { spawn } from "node:child_process";
import { rousePaths } from "../dist/config/paths.js";
import { findSession } from "../dist/terminal/registry.js";
import { BIN, canMeasure, makeHome, memoryOf, removeHome, run, sleep } from "./processes.mjs";

/** It should be close to 1; this is the value reached so far, which must not get worse. */
const RATIO_MAX = 1.5;
/** The observer has finished its first checks by then. */
const SETTLED_MS = 4000;

export async function benchHost() {
  if (!canMeasure) return [];
  const home = makeHome("off");
  const empty = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  try {
    const agent = ["sh", "-c", "while :; do echo working; sleep 0.2; done"];
    const spawned = run(home, [
      process.execPath,
      BIN,
      "spawn",
      "--name",
      "bench",
      "--kind",
      "claude-code",
      "--",
      ...agent,
    ]);
    if (spawned.status !== 0) throw new Error(spawned.stderr);
    await sleep(SETTLED_MS);
    const found = findSession(rousePaths(home.env), "bench");
    const [host, bare] = [memoryOf(found.hostPid), memoryOf(empty.pid)];
    run(home, [process.execPath, BIN, "stop", "bench", "--grace", "1"]);
    return [
      {
        name: "memory of a spawned agent's host process",
        figure: host.resident / bare.resident,
        unit: "× bare Node.js",
        relation: "<=",
        bar: RATIO_MAX,
        detail: {
          hostMB: host.resident / 1e6,
          hostOwnMB: host.own / 1e6,
          bareMB: bare.resident / 1e6,
          bareOwnMB: bare.own / 1e6,
        },
      },
    ];
  } finally {
    empty.kill();
    removeHome(home);
  }
}
