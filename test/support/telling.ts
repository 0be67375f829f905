/** The loop, acting and telling together, as the daemon joins them, under a clock that the test moves. */
import type { Action, ActionName, Outcome } from "../../src/core/action.js";
import type { TellRules } from "../../src/core/message/due.js";
import { POLICIES } from "../../src/core/policy/builtin.js";
import type { Policy } from "../../src/core/policy/policy.js";
import { Acting } from "../../src/daemon/acting.js";
import { Telling, workerRules } from "../../src/daemon/telling.js";
import type { StoredMessage } from "../../src/store/messages.js";
import { TestLoop } from "./loops.js";

export class TellingLoop extends TestLoop {
  acting!: Acting;
  /** What is allowed to be done; nothing unless a test says so. */
  can: readonly ActionName[] = [];
  touch: (action: Action) => Partial<Outcome> = () => ({});

  constructor() {
    super();
    this.join();
  }

  /** After a start or a restart. */
  join(): void {
    const rules: TellRules = {
      previewLines: 5,
      pollIntervalMs: 30_000,
      patienceMs: () => 15 * 60_000,
      ...workerRules(["worker"], () => false, "orchestrator"),
    };
    const { journal, loop } = this;
    const telling = new Telling({
      messages: journal.messages,
      rules,
      receiver: "orchestrator",
      now: () => loop.now(),
    });
    this.acting = new Acting({
      store: telling.over(journal.book),
      hands: {
        can: () => this.can,
        carryOut: async (action) => ({
          intent: action.id,
          at: loop.now(),
          result: "done",
          reason: "",
          proven: true,
          ...this.touch(action),
        }),
      },
      policyOf: () => POLICIES.default as Policy,
      isAllowed: () => this.can.length > 0,
      isWell: () => true,
      now: () => loop.now(),
    });
    loop.follower = telling.follow(this.acting);
  }

  /** As after a kill: only what is on the disk is known. */
  restart(): void {
    this.start(this.hand.wall);
    this.join();
  }

  get messages(): StoredMessage[] {
    return this.journal.messages.read(null, 0, true);
  }

  /** `type worker`, in order. */
  get told(): string[] {
    return this.messages.map(({ type, payload }) => `${type} ${(payload as { worker_name: string }).worker_name}`);
  }

  payload(index: number): Record<string, unknown> {
    return this.messages[index]?.payload as Record<string, unknown>;
  }
}
