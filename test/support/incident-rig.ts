/** The real loop and journal with actions, and one agent with a dead stream. */
import { afterEach } from "vitest";
import type { Action, ActionName, ActionOutcome } from "../../src/core/action.js";
import type { Loop } from "../../src/daemon/loop.js";
import { UserRecovery } from "../../src/daemon/recovery.js";
import { logLine } from "../../src/daemon/views/log-line.js";
import type { IncidentStore } from "../../src/store/incident-table.js";
import { agent, TestLoop, WORKING } from "./loops.js";

/** Longer than the program's own time-out and the confirmation time. */
export const HUNG_S = 600;

const ALL: readonly ActionName[] = ["nudge", "interrupt", "stop", "resume"];

/** A second kind of evidence besides the screen: bytes arrived, and then no more. */
const process = (receivedBytes: number) =>
  ({ kind: "process", source: "process", alive: true, children: 0, cpuMs: 100, sockets: 1, receivedBytes }) as const;

export interface IncidentRig {
  loop: Loop;
  recovery: UserRecovery;
  controls: string[];
  /** The lines of the log. */
  lines: string[];
  allow: () => void;
}

export interface IncidentStage {
  readonly test: TestLoop;
  /** The agent, in the middle of a turn; from here on it is silent. */
  hanging: () => Promise<void>;
  /** `hand` is the outcome of an action. */
  acts: (
    hand: (action: Action) => Partial<ActionOutcome> | Promise<Partial<ActionOutcome>>,
    options?: { allowed?: boolean; store?: IncidentStore },
  ) => IncidentRig;
  /** Runs awake time, and lets promises settle at every second. */
  run: (seconds: number) => Promise<void>;
}

/** One for each test, closed after it. */
export function useIncidentRig(): IncidentStage {
  let test: TestLoop;
  afterEach(() => test.close());
  return {
    get test() {
      return test;
    },
    hanging: async () => {
      test = new TestLoop();
      test.loop.register(agent());
      await test.send("s1", [...WORKING, process(100)]);
      test.run(1);
      await test.send("s1", [process(9000)]);
    },
    acts: (hand, { allowed = true, store } = {}) => {
      const controls: string[] = [];
      const lines: string[] = [];
      const rig = { allowed };
      Object.assign(test.stepRules, { can: () => ALL, isAllowed: () => rig.allowed });
      test.store = store ?? null;
      test.carryOut = async (action) => {
        controls.push(action.do);
        const outcome = await hand(action);
        return { intent: action.id, at: test.loop.now(), result: "done", reason: "", proven: true, ...outcome };
      };
      const { loop } = test;
      loop.subscribe((event) => {
        const line = event.kind === "incidents" ? logLine(event.event, loop.incidents) : null;
        if (line !== null) lines.push(line);
      });
      const allow = (): void => {
        rig.allowed = true;
      };
      return { loop, recovery: new UserRecovery(loop), controls, lines, allow };
    },
    run: async (seconds) => {
      for (let second = 0; second < seconds; second++) {
        test.run(1);
        await Promise.resolve();
        await new Promise(setImmediate);
      }
    },
  };
}
