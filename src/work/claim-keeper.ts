/**
 * Keeps the claims of this node: renews those of living sessions, takes over what agents wrote by SQL, and ends claims whose
 * lease lapsed longer ago than the patience. What a session did is passed on to its judgement.
 */
import type { CheckpointSignal, ClaimSignal } from "../core/signal.js";
import type { Checkpoint, Claim, Expired, Hub } from "../hub/hub.js";
import { LIST_MAX, RENEW_MS } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";
import type { NodeHub } from "./node-hub.js";

/** An expired claim is offered again after this time, so that a node that was cut off briefly keeps its work. */
export const PATIENCE_MS = 5 * 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

export type WorkSignal = Omit<CheckpointSignal, "at" | "source"> | Omit<ClaimSignal, "at" | "source">;

export interface KnownClaim {
  session: string;
  agent: string;
  task: number;
}

export interface LostClaim extends KnownClaim {
  title: string;
  /** The lost claim. */
  claim: Claim;
  /** Who holds the task now; null: it waits for a holder. */
  taker: Claim | null;
}

export interface ClaimKeeperOptions {
  hub: NodeHub;
  /** The living session that works on a claim of this node: its own one, or one that resumed it. Null if there is none. */
  holderOf: (claim: Claim) => string | null;
  /** Whether the judgement of the session knows the claim. */
  isKnown: (session: string, task: number) => boolean;
  /** Claims that the judgement of living sessions knows. */
  known?: () => readonly KnownClaim[];
  /** The claim lapsed while this node did not reach the hub, or was taken over: its session must not go on. */
  lost?: (lost: LostClaim) => Promise<void>;
  /** Claims that were ended because their lease lapsed. */
  expired?: (expired: readonly Expired[]) => void;
  signal: (session: string, signal: WorkSignal) => Promise<void>;
  now: () => number;
  log: (line: string) => void;
  patienceMs?: number;
}

export class ClaimKeeper {
  readonly #options: ClaimKeeperOptions;
  #renewedAt = NEVER;
  #isRunning = false;
  #failure = "";
  /** Known claims that this hub does not have, such as of another queue: asked about once. */
  readonly #foreign = new Set<string>();

  constructor(options: ClaimKeeperOptions) {
    this.#options = options;
  }

  /** To be called often; works every `RENEW_MS`. Never throws: an unreachable hub is asked again. */
  async tick(): Promise<void> {
    const { hub, now, log } = this.#options;
    if (this.#isRunning || !hub.isUsed() || now() - this.#renewedAt < RENEW_MS) return;
    this.#isRunning = true;
    try {
      await this.#keep(await hub.open());
      this.#renewedAt = now();
      if (this.#failure !== "") log("the hub answers again");
      this.#failure = "";
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#failure) log(`the claims of tasks could not be renewed: ${message}`);
      this.#failure = message;
    } finally {
      this.#isRunning = false;
    }
  }

  async #keep(hub: Hub): Promise<void> {
    const { hub: own, holderOf, isKnown, signal, patienceMs = PATIENCE_MS, expired } = this.#options;
    // Before the list: a claim that is made meanwhile is in the list, and not yet among these.
    const known = this.#options.known?.() ?? [];
    const open = await hub.list({ status: ["in_progress"], node: own.node, limit: LIST_MAX });
    const claims = open.flatMap(({ claim }) => claim ?? []);
    for (const checkpoint of await hub.collect()) await this.#passOn(claims, checkpoint);
    const living = claims.flatMap((claim) => {
      const session = holderOf(claim);
      return session === null ? [] : [{ claim, session }];
    });
    const renewed = new Set(
      (await hub.renew(living.map(({ claim }) => claim))).map(({ task, fence }) => `${task}.${fence}`),
    );
    for (const { claim, session } of living) {
      const task = String(claim.task);
      const isHeld = renewed.has(`${claim.task}.${claim.fence}`);
      if (!isHeld) await signal(session, { kind: "claim", task, phase: "released" });
      else if (!isKnown(session, claim.task)) await signal(session, { kind: "claim", task, phase: "taken" });
    }
    await this.#standDown(hub, known, claims);
    const ended = await hub.expire({ patienceMs });
    if (ended.length > 0) expired?.(ended);
  }

  /** A node that was cut off finds out here which of its claims are gone. */
  async #standDown(hub: Hub, known: readonly KnownClaim[], claims: readonly Claim[]): Promise<void> {
    const { hub: own, signal, lost } = this.#options;
    for (const { session, agent, task } of known) {
      const name = `${session} ${task}`;
      if (claims.some((claim) => claim.task === task)) this.#foreign.delete(name);
      if (claims.some((claim) => claim.task === task) || this.#foreign.has(name)) continue;
      const detail = await hub.get(task).catch((error: unknown) => {
        if (error instanceof HubError && !error.retryable) return null;
        throw error;
      });
      const claim = detail?.claims
        .filter((one) => one.node === own.node && (one.session === session || one.agent === agent))
        .at(-1);
      if (!detail || !claim) this.#foreign.add(name);
      else if (claim.ended === "expired" || claim.ended === "taken_over") {
        await signal(session, { kind: "claim", task: String(task), phase: "released" });
        await lost?.({ session, agent, task, title: detail.title, claim, taker: detail.claim });
      }
    }
  }

  async #passOn(claims: readonly Claim[], { task, fence, step, text }: Checkpoint): Promise<void> {
    const claim = claims.find((one) => one.task === task && one.fence === fence);
    if (!claim) return;
    const about = step === null ? {} : { step };
    await this.#options.signal(this.#options.holderOf(claim) ?? claim.session, {
      kind: "checkpoint",
      task: String(task),
      text,
      ...about,
    });
  }
}
