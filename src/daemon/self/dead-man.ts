/**
 * The dead man's switch: rouse fetches a configured address while it judges, and the service there alerts when the requests
 * stop. The address is a secret, so only its host is shown. Redirects are not followed.
 */
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { Pulse } from "./pulse.js";

const LIMIT_MS = 10_000;

export function deadManPulse(address: string, everyMs: number, limitMs: number = LIMIT_MS): Pulse | null {
  if (address === "") return null;
  const url = parse(address);
  return new Pulse({
    to: url?.host ?? "not a valid address",
    everyMs,
    send: (_isFirst, abort) =>
      url
        ? fetchOnce(url, AbortSignal.any([abort, AbortSignal.timeout(limitMs)]), limitMs)
        : Promise.reject(new Error("daemon.dead_man_url must be an address that begins with http:// or https://")),
  });
}

function fetchOnce(url: URL, signal: AbortSignal, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? secureRequest : plainRequest;
    const asked = request(url, { method: "GET", signal, headers: { "user-agent": "rouse" } }, (response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      if (status >= 200 && status < 300) resolve();
      else if (status >= 300 && status < 400)
        reject(new Error(`${url.host} redirects (${status}): use the new address`));
      else reject(new Error(`${url.host} answered ${status}`));
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      const why = signal.aborted ? `no answer within ${limitMs / 1000} s` : (error.code ?? error.message);
      reject(new Error(`${url.host} cannot be reached: ${why}`));
    });
    asked.end();
  });
}

function parse(address: string): URL | null {
  try {
    const url = new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url : null;
  } catch {
    return null;
  }
}
