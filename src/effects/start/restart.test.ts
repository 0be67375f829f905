import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeHostScript } from "../../../test/support/fake-host.js";
import { sessionOf } from "../../../test/support/sessions.js";
import { rousePaths } from "../../config/paths.js";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import { writeRecord } from "../../terminal/registry.js";
import type { EffectContext } from "../context.js";
import { Environments } from "./environments.js";
import { restartAgent } from "./restart.js";

it("an agent that rouse did not start is not restarted", async () => {
  const result = await restartAgent({} as Action, { origin: "tmux" } as AgentSession, {} as EffectContext);
  expect(result).toMatchObject({ result: "refused", reason: "rouse did not start it, so it does not restart it" });
});

it("a restart has failed if the new process exits within two seconds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rouse-restart-"));
  const paths = rousePaths({ HOME: folder });
  const { hostScript } = writeHostScript(folder, { session: "s2" });
  const pauses: number[] = [];
  const restarted = async (pidStart: string | null) => {
    const record = { hostPid: process.pid, hostStart: "ended", cols: 80, rows: 24, exit: null };
    writeRecord(paths, { ...sessionOf({ id: "s2", pid: process.pid, pidStart }), ...record });
    const starting = { environments: new Environments(paths, { HOME: folder }), hostScript };
    const sleep = async (ms: number) => void pauses.push(ms);
    const ended = sessionOf({ pid: process.pid, pidStart: "ended", workspace: folder });
    return restartAgent({} as Action, ended, { starting, paths, sleep } as unknown as EffectContext);
  };
  const began = "already exited; no signal was sent; started as session s2";
  try {
    expect(await restarted(identityOf(process.pid))).toMatchObject({
      result: "done",
      reason: `${began}, with the daemon's environment`,
    });
    expect(await restarted("another")).toMatchObject({
      result: "failed",
      reason: `${began}, which exited immediately`,
    });
    expect(pauses).toEqual([2000, 2000]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
