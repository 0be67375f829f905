import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeHost, IDLE_SCREEN } from "../../../test/support/fake-host.js";
import type { AgentSession } from "../../core/agent.js";
import type { ScreenState } from "../../core/policy/typing-checks.js";
import type { State } from "../../core/states.js";
import { profileFor } from "../../programs/registry.js";
import type { EffectContext } from "../context.js";
import { checkNotRecovered, checkStop } from "./check-stop.js";

const recovered = (state: State | null, reasons: string[] = []): string | null => {
  const assessment = () => state && { state, reasons };
  return checkNotRecovered({ id: "s1" } as AgentSession, { assessment } as unknown as EffectContext);
};

it("an agent that works again is not stopped, and the reason is named", () => {
  expect(recovered("working", ["new output"])).toBe("it is working now. New output");
  expect(recovered("waiting")).toBe("it is waiting now");
  expect(recovered("starting")).not.toBeNull();
  expect(recovered("stuck")).toBeNull();
  expect(recovered(null)).toBeNull();
});

it("an agent without a terminal that rouse can reach is not stopped", async () => {
  const context = { assessment: () => null, profileOf: () => ({}) } as unknown as EffectContext;
  const agent = { id: "s1", hostSocket: null, pane: null } as AgentSession;
  expect(await checkStop(agent, context)).toBe("its terminal cannot be reached");
});

describe("an agent in the terminal of a host", () => {
  let folder: string;
  let host: FakeHost | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rouse-check-stop-"));
  });
  afterEach(() => {
    host?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function objection(screen: Partial<ScreenState>, quietMs: number | null): Promise<string | null> {
    host?.close();
    const hostSocket = join(folder, `${Math.random()}.sock`);
    host = new FakeHost(() => ({
      ev: "check",
      terminalState: { screenState: { ...IDLE_SCREEN, ...screen }, quietMs },
    }));
    await host.listen(hostSocket);
    const agent = { id: "s1", kind: "claude-code", origin: "spawn", hostSocket, pane: null } as AgentSession;
    return checkStop(agent, { assessment: () => null, profileOf: profileFor } as unknown as EffectContext);
  }

  it("is not stopped while a question is open", async () => {
    expect(await objection({ dialog: "permission" }, null)).toBe("it is waiting for an answer");
    expect(await objection({ says: "blocked" }, null)).toBe("it is waiting for an answer");
  });

  it("is not stopped until 20 s after the last key of a user", async () => {
    expect(await objection({}, 19_999)).toBe("a user typed 19 s ago");
    expect(await objection({}, 20_000)).toBeNull();
    expect(await objection({}, null)).toBeNull();
  });
});
