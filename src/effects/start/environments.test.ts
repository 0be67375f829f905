import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import { type RousePaths, rousePaths } from "../../config/paths.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { writeRecord } from "../../terminal/registry.js";
import { Environments } from "./environments.js";

let folder: string;
let paths: RousePaths;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-environments-"));
  paths = rousePaths({ HOME: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const DAEMON = { WHOSE: "daemon" };

/** A session whose host is this process. */
function hosted(id: string) {
  const session = sessionOf({ id });
  const hostStart = identityOf(process.pid);
  writeRecord(paths, { ...session, hostPid: process.pid, hostStart, cols: 80, rows: 24, exit: null });
  return session;
}

describe("the environment of a spawned agent", () => {
  it.runIf(process.platform === "linux")("is that of its host", () => {
    const environments = new Environments(paths, DAEMON);
    environments.remember(hosted("s1"));
    expect(environments.of("s1")).toMatchObject({ env: { PATH: process.env.PATH }, isOwn: true });
  });

  it("is the daemon's if the host is unknown, or if rouse did not start the agent", () => {
    const environments = new Environments(paths, DAEMON);
    environments.remember(sessionOf({ id: "none" }));
    environments.remember({ ...hosted("s2"), origin: "run" });
    expect(environments.of("none")).toEqual({ env: DAEMON, isOwn: false });
    expect(environments.of("s2")).toEqual({ env: DAEMON, isOwn: false });
  });

  it.runIf(process.platform === "linux")("is kept for the 500 latest agents", () => {
    const environments = new Environments(paths, DAEMON);
    for (let n = 0; n <= 500; n++) environments.remember(hosted(`n${n}`));
    expect(environments.of("n0").isOwn).toBe(false);
    expect(environments.of("n1").isOwn).toBe(true);
    expect(environments.of("n500").isOwn).toBe(true);
  });
});
