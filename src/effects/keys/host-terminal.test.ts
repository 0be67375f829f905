import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeHost, IDLE_SCREEN } from "../../../test/support/fake-host.js";
import type { FromHost } from "../../terminal/frames.js";
import { HostTerminal } from "./host-terminal.js";

let folder: string;
let host: FakeHost | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-host-"));
});
afterEach(() => {
  host?.close();
  host = null;
  rmSync(folder, { recursive: true, force: true });
});

async function terminalWith(answer: FromHost, afterMs = 0): Promise<HostTerminal> {
  const path = join(folder, "h.sock");
  host = new FakeHost(() => sleep(afterMs, answer));
  await host.listen(path);
  return new HostTerminal(path);
}

const precondition = { draft: "", turn: "idle", quietMs: 0, composerDigest: "c1" } as const;

describe("a terminal of a host", () => {
  it("waits for a host that takes a moment to answer", async () => {
    const answer: FromHost = { ev: "check", terminalState: { screenState: IDLE_SCREEN, quietMs: 7000 } };
    const terminal = await terminalWith(answer, 100);
    expect(await terminal.check()).toMatchObject({ terminalState: { screenState: IDLE_SCREEN, quietMs: 7000 } });
  });

  it("counts as quiet for ever if no user has typed", async () => {
    const terminal = await terminalWith({ ev: "check", terminalState: { screenState: IDLE_SCREEN, quietMs: null } });
    expect(await terminal.check()).toMatchObject({ terminalState: { quietMs: Number.POSITIVE_INFINITY } });
  });

  it("cannot be read or typed into without its host", async () => {
    const terminal = new HostTerminal(join(folder, "none.sock"));
    expect(await terminal.check()).toMatchObject({
      terminalState: null,
      reason: expect.stringContaining("the agent's terminal does not respond: "),
    });
    expect(await terminal.press(null, { kind: "submit" }, precondition)).toMatchObject({ result: "refused" });
  });

  it("reports keys as pressed only if bytes were written", async () => {
    const typed = await terminalWith({ ev: "pressed", bytes: 1, reason: null });
    expect(await typed.press(null, { kind: "submit" }, precondition)).toEqual({ result: "pressed" });
    host?.close();
    const refused = await terminalWith({ ev: "pressed", bytes: 0, reason: "a turn is running" });
    expect(await refused.press(null, { kind: "submit" }, precondition)).toEqual({
      result: "refused",
      reason: "a turn is running",
    });
  });
});
