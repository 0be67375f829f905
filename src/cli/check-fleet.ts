/** `rouse fleet doctor`: what is wrong between this machine and its hub. Reads, and writes nothing. */
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import { askDaemon } from "../daemon/client.js";
import { HubError } from "../hub/hub-error.js";
import { hubOptions, openHub } from "../hub/open.js";
import { call } from "./client.js";

export interface FleetCheck {
  about: string;
  result: "ok" | "note" | "problem";
  text: string;
}

/** Slower is no fault, but tasks and commands feel it. */
const SLOW_MS = 200;
/** Leases use the database's time; the clock of this machine only shows in texts. */
const SKEW_MS = 5_000;
const ROUNDS = 5;

export async function checkFleet(config: Config, paths: RousePaths): Promise<FleetCheck[]> {
  const { url } = config.hub;
  if (url === "")
    return [
      { about: "fleet", result: "problem", text: "this machine is in no fleet; join one with `rouse fleet join`" },
    ];
  return [...(await checkHub(config, paths)), tlsCheck(url), await checkDaemon(paths)];
}

async function checkHub(config: Config, paths: RousePaths): Promise<FleetCheck[]> {
  try {
    const hub = await openHub(hubOptions(config, paths));
    try {
      const before = Date.now();
      const theirs = await hub.now();
      const skew = theirs - (before + Date.now()) / 2;
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now();
        await hub.now();
        times.push(performance.now() - began);
      }
      const median = Math.round(times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
      return [
        { about: "hub", result: "ok", text: "reachable, writable, and its schema fits this rouse" },
        {
          about: "speed",
          result: median > SLOW_MS ? "note" : "ok",
          text: `${median} ms per call (median of ${ROUNDS})`,
        },
        {
          about: "clock",
          result: Math.abs(skew) > SKEW_MS ? "note" : "ok",
          text: `${Math.abs(Math.round(skew))} ms ${skew < 0 ? "ahead of" : "behind"} the hub; leases use the hub's time`,
        },
      ];
    } finally {
      await hub.close();
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return [{ about: "hub", result: "problem", text: error.message }];
  }
}

/** Only these modes check that the server is the right one. */
function tlsCheck(url: string): FleetCheck {
  const { searchParams, hostname } = new URL(url);
  const mode = searchParams.get("sslmode") ?? "none";
  if (["verify-full", "verify-ca"].includes(mode)) return { about: "TLS", result: "ok", text: `sslmode=${mode}` };
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return {
    about: "TLS",
    result: isLocal ? "ok" : "note",
    text: isLocal
      ? "not needed on this machine"
      : `sslmode=${mode}: the password and all data can be read on the way; append ?sslmode=verify-full`,
  };
}

async function checkDaemon({ daemonSocket }: RousePaths): Promise<FleetCheck> {
  const isUp = await askDaemon(daemonSocket, "GET", "/v1/health").catch(() => null);
  if (!isUp) return { about: "daemon", result: "problem", text: "not running: start it with `rouse up`" };
  try {
    const { node, hub } = await call("fleet", {});
    if (hub.reachable) return { about: "daemon", result: "ok", text: `node ${node} renews its lease` };
    return {
      about: "daemon",
      result: "problem",
      text: `node ${node} does not reach the hub: ${hub.error ?? "no answer yet"}`,
    };
  } catch (error) {
    return {
      about: "daemon",
      result: "problem",
      text: `${(error as Error).message}: restart it with \`rouse down\` and \`rouse up\``,
    };
  }
}
