import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeHost, IDLE_SCREEN } from "../../../test/support/fake-host.js";
import { sessionOf } from "../../../test/support/sessions.js";
import type { ScreenState } from "../../core/policy/typing-checks.js";
import { profileFor } from "../../programs/registry.js";
import type { ScreenAnswer } from "../../terminal/frames.js";
import type { EffectContext } from "../context.js";
import { promptAgain } from "./prompt-again.js";

let folder: string;
let host: FakeHost | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-prompt-"));
});
afterEach(() => {
  host?.close();
  host = null;
  rmSync(folder, { recursive: true, force: true });
});

const shows = (more: Partial<ScreenState>): ScreenAnswer => ({
  terminalState: { screenState: { ...IDLE_SCREEN, ...more }, quietMs: null },
});

/** The result if the screen stays so until the time is up. */
async function prompted(answer: ScreenAnswer, leftMs: number) {
  const hostSocket = join(folder, "h.sock");
  host = new FakeHost(() => ({ ev: "check", ...answer }));
  await host.listen(hostSocket);
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const context = { now: () => now, sleep, profileOf: profileFor } as unknown as EffectContext;
  const agent = sessionOf({ kind: "claude-code", hostSocket });
  const { result, reason } = await promptAgain(agent, context, "continue", leftMs);
  return `${result}: ${reason}`;
}

describe("a resumed session is not nudged", () => {
  it("if its screen cannot be read until the time is up, and the reason is named", async () => {
    expect(await prompted({ terminalState: null, reason: "no screen yet" }, 31_000)).toBe(
      "refused: not ready for input within 1 s: no screen yet; try again, or wait longer",
    );
  });

  it("if its prompt does not appear in time", async () => {
    expect(await prompted(shows({ composer: "hidden" }), 31_000)).toBe(
      "refused: not ready for input within 1 s: no composer is visible; try again, or wait longer",
    );
  });

  it("if a dialog is open", async () => {
    expect(await prompted(shows({ dialog: "permission" }), 60_000)).toBe(
      "refused: a dialog is open (permission); a user has to answer it (`rouse go`)",
    );
  });
});
