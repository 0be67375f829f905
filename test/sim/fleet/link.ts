/**
 * What lies between a node and the real database: a call may not arrive, lose its answer, arrive twice, or arrive long after its
 * caller has given it up.
 */
import { HubError } from "../../../src/hub/hub-error.js";
import type { Arguments, HubStore, StoreOperation } from "../../../src/hub/store.js";
import type { Random } from "../random.js";

/** Probabilities of each fault for one call. */
export interface LinkMix {
  lost: number;
  unanswered: number;
  late: number;
  doubled: number;
}

export const CLEAR: LinkMix = { lost: 0, unanswered: 0, late: 0, doubled: 0 };
export const LOSSY: LinkMix = { lost: 0.15, unanswered: 0.12, late: 0.12, doubled: 0.12 };
const LATE_MAX_MS = 120_000;

export interface LinkOptions {
  store: HubStore;
  random: Random;
  isCut: () => boolean;
  mix: () => LinkMix;
  /** The call runs in the database at a later time; the answer reaches no caller. */
  later: (ms: number, call: () => Promise<void>) => void;
  answered: (operation: StoreOperation, values: Arguments, answer: unknown) => void;
  count: (fault: string) => void;
}

export class Link implements HubStore {
  readonly engine = "postgresql";
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  async call(operation: StoreOperation, values: Arguments): Promise<unknown> {
    const { random, isCut, mix, later, count } = this.#options;
    if (isCut()) throw lost();
    const kind = draw(random, mix());
    if (kind) count(kind);
    if (kind === "lost") throw lost();
    if (kind === "late") {
      // The arguments as they are now: the caller may change its own.
      const copy = structuredClone(values);
      later(random.between(1_000, LATE_MAX_MS), async () => void (await this.#run(operation, copy)));
      throw lost();
    }
    const answer = await this.#run(operation, values);
    if (kind === "doubled") await this.#run(operation, values);
    if (kind === "unanswered") throw lost();
    return answer;
  }

  async close(): Promise<void> {}

  async #run(operation: StoreOperation, values: Arguments): Promise<unknown> {
    const answer = await this.#options.store.call(operation, values);
    this.#options.answered(operation, values, answer);
    return answer;
  }
}

function draw(random: Random, mix: LinkMix): keyof LinkMix | null {
  let left = random.next();
  for (const [kind, part] of Object.entries(mix) as [keyof LinkMix, number][]) {
    if (left < part) return kind;
    left -= part;
  }
  return null;
}

const lost = (): HubError => new HubError("unreachable", "the connection was lost");
