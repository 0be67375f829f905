import { describe, expect, it } from "vitest";
import { HUNG_S, type IncidentRig, useIncidentRig } from "../../test/support/incident-rig.js";
import { screen } from "../../test/support/steps.js";
import type { UserRecovery } from "./recovery.js";

const stage = useIncidentRig();
const { acts, hanging, run } = stage;

describe("a recovery that a user requests", () => {
  /** Stuck, but not long enough to be acted on. */
  async function suspected(rig: IncidentRig): Promise<void> {
    for (let n = 0; n < HUNG_S && rig.loop.incidents.incidents.length === 0; n++) await run(1);
  }
  const recover = async (rig: IncidentRig, how: "plan" | "restart" = "plan", isDry = false) => {
    const judge = stage.test.loop.find("api");
    if (!judge) throw new Error("nobody");
    let done: Awaited<ReturnType<UserRecovery["recover"]>> | undefined;
    void rig.recovery.recover(judge, how, isDry).then((result) => {
      done = result;
    });
    for (let n = 0; n < 60 && done === undefined; n++) await run(1);
    return done;
  };
  const idles = (): void => {
    void stage.test.send("s1", [
      { kind: "status", source: "title", status: "idle" },
      screen({ busy: false, moving: false, composer: "empty" }),
    ]);
    stage.test.journal.flush();
  };

  it("can be simulated without any action", async () => {
    await hanging();
    const rig = acts(() => ({}), { allowed: false });
    await suspected(rig);
    expect(await recover(rig, "plan", true)).toMatchObject({ steps: [], next: { do: "interrupt" } });
    expect(rig.controls).toEqual([]);
    expect(rig.loop.incidents.actions).toEqual([]);
  });

  it("continues after a proven step with the next one at once, without permission, and waits if a wait is required", async () => {
    await hanging();
    const rig = acts(
      ({ do: name }) => {
        if (name === "interrupt") idles();
        return {};
      },
      { allowed: false },
    );
    await suspected(rig);
    const done = await recover(rig);
    expect(rig.controls).toEqual(["interrupt", "nudge"]);
    expect(done?.steps.map(({ outcome }) => outcome.result)).toEqual(["done", "done"]);
    expect(done?.reason).toBe("checking whether the nudge helped");
    expect(rig.loop.incidents.actions).toHaveLength(2);
  });

  it("ends with the refusal, and is not started twice", async () => {
    await hanging();
    let isOver = (): void => {};
    const rig = acts(
      () =>
        new Promise((resolve) => {
          isOver = () => resolve({ result: "refused", reason: "a draft stands there", proven: null });
        }),
    );
    await suspected(rig);
    const judge = stage.test.loop.find("api");
    if (!judge) throw new Error("nobody");
    const first = rig.recovery.recover(judge, "plan", false);
    await run(1);
    expect(await rig.recovery.recover(judge, "plan", false)).toBeNull();
    isOver();
    expect(await first).toMatchObject({ reason: "a draft stands there", steps: [{ outcome: { result: "refused" } }] });
    expect(rig.controls).toEqual(["interrupt"]);
  });

  it("waits a minute after unobserved time; records from earlier times do not count as unobserved", async () => {
    await hanging();
    const rig = acts(() => ({}), { allowed: false });
    await suspected(rig);
    const to = stage.test.loop.now();
    await stage.test.send("s1", [{ kind: "gap", source: "observer", from: to - 300_000, to: to - 290_000 }]);
    expect(await recover(rig, "plan", true)).toMatchObject({ next: { do: "interrupt" }, recheckAt: null });
    stage.test.hand.pass(60_000);
    await run(1);
    expect(await recover(rig, "plan", true)).toMatchObject({ reason: "the machine has just woken up" });
  });

  it("leaves a healthy agent alone, even if a restart is requested", async () => {
    await hanging();
    const rig = acts(() => ({}));
    for (const how of ["plan", "restart"] as const)
      expect(await recover(rig, how)).toMatchObject({ incident: null, steps: [], reason: "the agent has no problem" });
    expect(rig.controls).toEqual([]);
  });
});
