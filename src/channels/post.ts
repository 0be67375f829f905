/** One POST to a checked address, without redirects, with a time limit and a limited response size. */
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { complaintOfAddress, guardedLookup } from "./address.js";
import { type Channel, type DeliveryResult, refusedDelivery, retryDelivery, SENT } from "./channel.js";

export interface PostTarget {
  url: URL;
  allowPrivate: boolean;
  /** The name in error messages. */
  to: Channel["to"];
}

const LIMIT_MS = 10_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_MAX_MS = 3_600_000;

/** A rejected request stays rejected; the receiver can fix all other errors. */
const FINAL: ReadonlySet<number> = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431]);

export function postJson(
  { url, allowPrivate, to }: PostTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const literal = /^[\d.]+$|:/.test(host) ? complaintOfAddress(host, allowPrivate) : null;
  if (literal !== null) return Promise.resolve(refusedDelivery(`${to}: ${literal}`));
  return new Promise((resolve) => {
    const request = url.protocol === "https:" ? secureRequest : plainRequest;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const asked = request(
      url,
      {
        method: "POST",
        // No connection reuse: the address is checked each time.
        agent: false,
        lookup: guardedLookup(allowPrivate),
        signal: AbortSignal.any([signal, limit]),
        headers: { "user-agent": "rouse", "content-length": String(Buffer.byteLength(body)), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = (): void => {
          response.destroy();
          resolve(outcomeOf(to, response.statusCode ?? 0, response.headers["retry-after"], Buffer.concat(chunks)));
        };
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > ANSWER_BYTES_MAX) finish();
        });
        response.on("end", finish);
        // The status arrived, so the alert did too.
        response.on("error", finish);
      },
    );
    asked.on("error", (error: NodeJS.ErrnoException) => {
      // A name may resolve differently later, for example after a captive portal.
      if (error.code === "EREFUSED_ADDRESS") resolve(retryDelivery(`${to}: ${error.message}`));
      else if (limit.aborted) resolve(retryDelivery(`${to} did not answer within ${LIMIT_MS / 1000} s`));
      else
        resolve(
          retryDelivery(`${to} cannot be reached: ${signal.aborted ? "aborted" : (error.code ?? "no connection")}`),
        );
    });
    asked.end(body);
  });
}

function outcomeOf(to: string, status: number, retryAfter: string | undefined, answer: Buffer): DeliveryResult {
  if (status >= 200 && status < 300) return SENT;
  // The response body is never shown: it may repeat secrets.
  if (status >= 300 && status < 400) return refusedDelivery(`${to} redirects (${status}): configure the new address`);
  if (FINAL.has(status)) return refusedDelivery(`${to} rejected the alert (${status})`);
  const afterMs = waitOf(retryAfter) ?? waitInBody(answer);
  return retryDelivery(`${to} answered ${status}${MAY_BE[status] ?? ""}`, afterMs);
}

/** The most likely cause, for a user who is setting the channel up. */
const MAY_BE: Readonly<Record<number, string>> = {
  401: ": the token may be missing or wrong",
  403: ": the token may be wrong or lack permission",
  404: ": the address may be wrong",
  410: ": the address is no longer in use",
};

/** Seconds, or a date. */
function waitOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS) : undefined;
}

/** Telegram and Discord send it in the body. */
function waitInBody(answer: Buffer): number | undefined {
  const found = /"retry_after"\s*:\s*(\d{1,7}(?:\.\d{1,6})?)/.exec(answer.toString("latin1"))?.[1];
  return found === undefined ? undefined : Math.min(Number(found) * 1000, RETRY_AFTER_MAX_MS);
}
