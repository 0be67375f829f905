/**
 * A healthy agent under every disturbance of time at once: the machine sleeps, its clock is set, the daemon stops
 * or is killed and restarted, and signals arrive late, each source on its own.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type ClockModel, MODELS } from "../../test/support/hand-clock.js";
import { agent, news, TestLoop, WORKING } from "../../test/support/loops.js";
import { screen } from "../../test/support/steps.js";
import type { Signal } from "../core/signal.js";

/** Seconds of work that ends with new output, and of rest; the other events disturb the machine. */
type Step =
  | { work: number }
  | { rest: number }
  | { sleep: number }
  | { set: number }
  | { stopped: Step[] }
  | { dead: Step[] };

/** Mostly about as long as the silence threshold; sometimes hours. */
const span = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 60, max: 600 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 7200 }) },
);
const life: fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ work: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ rest: fc.integer({ min: 1, max: 120 }) }) },
  { weight: 1, arbitrary: fc.record({ sleep: span }) },
];
const set: fc.Arbitrary<Step> = fc
  .tuple(span, fc.constantFrom(-1, -1, 1))
  .map(([seconds, sign]) => ({ set: seconds * sign }));
const some = fc.array(fc.oneof(...life), { maxLength: 4 });
/** At most one clock change per unobserved time: after two, timestamps between them cannot be ordered. */
const unseen: fc.Arbitrary<Step[]> = fc.tuple(some, fc.array(set, { maxLength: 1 }), some).map((parts) => parts.flat());
const step: fc.Arbitrary<Step> = fc.oneof(
  ...life,
  { weight: 3, arbitrary: set },
  { weight: 2, arbitrary: fc.record({ stopped: unseen }) },
  { weight: 3, arbitrary: fc.record({ dead: unseen }) },
);

class HealthyAgent {
  readonly test: TestLoop;
  /** The state reported at any moment. */
  readonly said = new Set<string>();
  readonly #isHostFirst: boolean;
  readonly #lateS: number;
  #isSeen = true;
  #inTurn = false;
  #n = 0;
  #byHost: Signal[] = [];
  #byOthers: Signal[] = [];

  constructor(model: ClockModel, isHostFirst: boolean, lateS: number) {
    this.test = new TestLoop(model);
    this.#isHostFirst = isHostFirst;
    this.#lateS = lateS;
    this.test.loop.register(agent());
  }

  async live(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if ("work" in step) await this.#work(step.work);
      if ("rest" in step) await this.#rest(step.rest);
      if ("sleep" in step) this.test.hand.sleep(step.sleep * 1000);
      if ("set" in step) this.test.hand.set(step.set * 1000);
      if ("stopped" in step) await this.#unseen(step.stopped);
      if ("dead" in step) await this.#unseen(step.dead, () => this.test.restart());
    }
  }

  async #unseen(steps: readonly Step[], then: () => void = () => {}): Promise<void> {
    this.#isSeen = false;
    await this.live(steps);
    this.#isSeen = true;
    then();
    await this.#deliver();
  }

  async #work(seconds: number): Promise<void> {
    if (!this.#inTurn) this.#show(WORKING, { kind: "turn", phase: "start" });
    this.#inTurn = true;
    await this.#reported();
    this.#pass(seconds);
    this.#show(news(++this.#n), { kind: "message", role: "assistant", digest: `m${this.#n}` });
    await this.#reported();
  }

  async #rest(seconds: number): Promise<void> {
    const done = [{ kind: "status", source: "title", status: "idle" }, screen({ reply: `words ${this.#n}` })] as const;
    if (this.#inTurn) this.#show(done, { kind: "turn", phase: "end" });
    this.#inTurn = false;
    await this.#reported();
    this.#pass(seconds);
  }

  /** All sources use the wall clock for timestamps. */
  #show(byHost: readonly object[], byOthers: object): void {
    const at = this.test.hand.wall;
    this.#byHost.push(...byHost.map((signal) => ({ ...signal, at }) as Signal));
    this.#byOthers.push({ ...byOthers, source: "hook", at } as Signal);
  }

  async #reported(): Promise<void> {
    if (!this.#isSeen) return;
    this.#pass(this.#lateS);
    await this.#deliver();
  }

  async #deliver(): Promise<void> {
    const [byHost, byOthers] = [this.#byHost, this.#byOthers];
    [this.#byHost, this.#byOthers] = [[], []];
    // In the smallest possible pieces, judged after each.
    const ways = [
      byHost.map((signal) => () => this.test.send("s1", [signal])),
      byOthers.map((signal) => () => this.test.loop.ingest("s1", null, [signal])),
    ];
    for (const report of (this.#isHostFirst ? ways : ways.reverse()).flat()) {
      await report();
      this.said.add(this.test.says());
    }
  }

  #pass(seconds: number): void {
    if (this.#isSeen) this.test.run(seconds);
    else this.test.hand.pass(seconds * 1000);
    this.said.add(this.test.says());
  }
}

/**
 * Found once: the clock was set back by about the time that the machine then slept, while the daemon was stopped.
 */
const HIDDEN: [Step[], boolean, 0 | 8] = [
  [
    { rest: 86 },
    { stopped: [{ set: -95 }, { work: 1 }, { sleep: 110 }] },
    { stopped: [] },
    { dead: [] },
    { stopped: [] },
  ],
  false,
  8,
];

it.each(MODELS)(
  "reports no healthy agent as stuck, whatever happens to clocks, machine and daemon at once (%s)",
  { timeout: 600_000 },
  async (model) => {
    const steps = fc.array(step, { minLength: 3, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), fc.constantFrom(0, 8), async (steps, isHostFirst, lateS) => {
        const healthy = new HealthyAgent(model, isHostFirst, lateS);
        try {
          await healthy.live([{ work: 1 }, ...steps, { work: 5 }]);
          expect([...healthy.said].filter((said) => /stuck|unknown|gone|error/.test(said))).toEqual([]);
          expect(healthy.test.says()).toBe("working");
        } finally {
          healthy.test.close();
        }
      }),
      { numRuns: process.env.ROUSE_FULL ? 300 : 10, examples: [HIDDEN] },
    );
  },
);
