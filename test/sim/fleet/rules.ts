/**
 * The promises of a fleet, checked from outside: against what the database accepted, call by call, and what was really broken.
 * The rules for takeovers are written here a second time, from the documentation.
 */
import type { Claim, ClaimRef, Expired } from "../../../src/hub/hub.js";
import type { Arguments, StoreOperation } from "../../../src/hub/store.js";
import { isRefused } from "../../../src/hub/store.js";

const NODE_LEASE_MS = 30_000;
const GAP_MS = 20_000;
const BRAKE_NODES = 3;
const BRAKE_PART = 0.3;
export const PATIENCE_MS = 5 * 60_000;

interface Held {
  claim: Claim;
  /** Of the last sign of life that the database accepted. */
  aliveAt: number;
  isOpen: boolean;
  isFinished: boolean;
}

interface Member {
  run: number;
  seq: number;
  leaseUntil: number;
  isStopped: boolean;
}

/** Something that was broken; `node` null: the hub. */
export interface Fault {
  node: string | null;
  kind: string;
  from: number;
  to: number;
}

export class Rules {
  readonly violations: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly faults: Fault[] = [];
  readonly #held = new Map<number, Held>();
  readonly #members = new Map<string, Member>();
  readonly #taken = new Set<string>();
  #lastContact = Number.NEGATIVE_INFINITY;
  #reachableSince = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  violate(text: string): void {
    this.violations.push(`${(this.#now() / 1000).toFixed(0)} s: ${text}`);
  }

  /** Whether a session may go on with this claim, which the node learned from the hub. A result whose answer was lost closed it. */
  mayWork(node: string, { task, fence }: ClaimRef): boolean {
    const held = this.#held.get(task);
    return held?.claim.fence === fence && held.claim.node === node && (held.isOpen || held.isFinished);
  }

  openClaims(): Claim[] {
    return [...this.#held.values()].filter(({ isOpen }) => isOpen).map(({ claim }) => claim);
  }

  answered(node: string, operation: StoreOperation, values: Arguments, answer: unknown): void {
    if (isRefused(answer)) this.count(`refused ${answer.refused.code}`);
    else this.#table[operation]?.(node, values, answer);
  }

  readonly #table: Partial<Record<StoreOperation, (node: string, values: Arguments, answer: unknown) => void>> = {
    node_start: (node, _values, answer) => {
      const { run, seq } = answer as { run: number; seq: number };
      const before = this.#members.get(node);
      if (before && run <= before.run) this.violate(`run ${run} of ${node} after run ${before.run}`);
      this.#renewed(node, run, seq);
    },
    node_flush: (node, values) => {
      const [run, seq] = [Number(values.run), Number(values.seq)];
      const member = this.#members.get(node);
      if (member?.run !== run) this.violate(`a write of run ${run} of ${node} was accepted in run ${member?.run}`);
      else if (seq <= member.seq) this.violate(`write ${seq} of ${node} was accepted after ${member.seq}`);
      this.#renewed(node, run, seq);
    },
    node_stop: (node) => {
      const member = this.#members.get(node);
      if (member) member.isStopped = true;
    },
    claim_next: (node, _values, answer) => answer !== null && this.#claimed(node, (answer as { claim: Claim }).claim),
    claim_renew: (node, _values, answer) => {
      for (const claim of answer as Claim[]) this.#wrote(node, "a renewal", claim.task, claim.fence);
    },
    claim_checkpoint: (node, { task, fence }) => this.#wrote(node, "a checkpoint", Number(task), Number(fence)),
    claim_finish: (node, { task, fence }) => {
      this.#wrote(node, "a result", Number(task), Number(fence));
      const held = this.#held.get(Number(task));
      if (held) Object.assign(held, { isOpen: false, isFinished: true });
      this.count("finished");
    },
    claim_expire: (_node, _values, answer) => {
      for (const expired of answer as Expired[]) this.#expired(expired);
    },
    command_take: (_node, _values, answer) => {
      for (const { id, expiresAt } of answer as { id: string; expiresAt: number }[]) {
        if (this.#taken.has(id)) this.violate(`command ${id} was given out twice`);
        if (expiresAt < this.#now()) this.violate(`command ${id} was given out after it had expired`);
        this.#taken.add(id);
        this.count("commands");
      }
    },
  };

  #renewed(node: string, run: number, seq: number): void {
    const now = this.#now();
    if (now - this.#lastContact > GAP_MS) this.#reachableSince = now;
    this.#lastContact = now;
    this.#members.set(node, { run, seq, leaseUntil: now + NODE_LEASE_MS, isStopped: false });
  }

  #claimed(node: string, claim: Claim): void {
    const before = this.#held.get(claim.task);
    if (before?.isOpen) this.violate(`task ${claim.task} is held by ${before.claim.node} and by ${node}`);
    if (claim.fence !== (before?.claim.fence ?? 0) + 1)
      this.violate(`fence ${claim.fence} of task ${claim.task} after ${before?.claim.fence ?? 0}`);
    this.#held.set(claim.task, { claim, aliveAt: this.#now(), isOpen: true, isFinished: false });
    this.count(claim.fence > 1 ? "taken over" : "claimed");
  }

  #wrote(node: string, what: string, task: number, fence: number): void {
    const held = this.#held.get(task);
    if (!held?.isOpen || held.claim.fence !== fence || held.claim.node !== node)
      this.violate(
        `${what} of ${node} for task ${task}, fence ${fence}, was accepted; it is held by ${held?.claim.node}`,
      );
    else held.aliveAt = this.#now();
  }

  #expired({ claim: { task, fence }, outcome }: Expired): void {
    const now = this.#now();
    const held = this.#held.get(task);
    if (held) held.isOpen = false;
    this.count(`expired, ${outcome}`);
    if (held?.claim.fence !== fence) {
      this.violate(`claim ${fence} of task ${task} expired, which no session held`);
      return;
    }
    const { claim, aliveAt } = held;
    const about = `task ${task} was taken from ${claim.node}`;
    const lapsedMs = now - aliveAt - claim.leaseMs;
    if (lapsedMs < PATIENCE_MS) this.violate(`${about} ${lapsedMs / 1000} s after its lease`);
    if (this.#brake() > 0) this.violate(`${about} while ${this.#brake()} nodes were lost together`);
    const reachableMs = now - this.#reachableSince;
    if (reachableMs < claim.leaseMs + PATIENCE_MS)
      this.violate(`${about} when the hub had been reachable for ${reachableMs / 1000} s`);
    const away = this.faults.find(
      ({ node, from, to }) => node === null && to - from > GAP_MS + 10_000 && now - to < NODE_LEASE_MS,
    );
    if (away) this.violate(`${about} within one lease of an absence of the hub`);
    const cause = this.faults.find(
      ({ node, from, to }) => (node === null || node === claim.node) && from <= now && to >= aliveAt - 1_000,
    );
    const death = this.faults.find(({ node, from }) => node === claim.session && from <= now);
    const kind = (cause ?? death)?.kind;
    if (kind) this.count(`because of: ${kind}`);
    else this.violate(`${about}, which nothing explains`);
  }

  /** How many nodes lapsed within one lease, if they are too many to be dead. */
  #brake(): number {
    const members = [...this.#members.values()];
    const lapsed = members.filter(({ isStopped, leaseUntil }) => !isStopped && leaseUntil < this.#now());
    const together = lapsed.map(
      ({ leaseUntil: from }) =>
        lapsed.filter(({ leaseUntil }) => leaseUntil >= from && leaseUntil <= from + NODE_LEASE_MS).length,
    );
    const most = Math.max(0, ...together);
    return most >= BRAKE_NODES && most > BRAKE_PART * members.length ? most : 0;
  }
}
