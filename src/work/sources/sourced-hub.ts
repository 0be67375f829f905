/** A hub whose claims are confirmed by the source of the task: claimed here first, then there; another holder there keeps it. */
import type { Claimed, Hub } from "../../hub/hub.js";
import { HubError } from "../../hub/hub-error.js";
import type { SourceSync } from "./source-sync.js";

/** Tasks that turn out to be held elsewhere, in one search for the next one. */
const SKIPPED_MAX = 100;

export function withSources(hub: Hub, sync: SourceSync): Hub {
  if (!sync.isUsed()) return hub;
  /** Null: the task is ours. */
  const refusalOf = async (claimed: Claimed): Promise<string | null> => {
    const conflict = await sync.confirm(hub, claimed);
    if (conflict !== null) await hub.finish(claimed.claim, { outcome: "blocked", error: conflict });
    return conflict;
  };
  const confirmed = async (claimed: Claimed): Promise<Claimed> => {
    const conflict = await refusalOf(claimed);
    if (conflict === null) return claimed;
    throw new HubError("held", `task ${claimed.task.id} cannot be claimed: ${conflict} It is blocked until that ends`);
  };
  const own: Partial<Hub> = {
    claim: async (id, holder) => confirmed(await hub.claim(id, holder)),
    claimNext: async (filter, holder) => {
      for (let skipped = 0; skipped < SKIPPED_MAX; skipped++) {
        const claimed = await hub.claimNext(filter, holder);
        if (claimed === null || (await refusalOf(claimed)) === null) return claimed;
      }
      return null;
    },
    takeOver: async (...over) => {
      const claimed = await hub.takeOver(...over);
      return claimed && confirmed(claimed);
    },
  };
  return new Proxy(hub, {
    get: (target, name) => {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
