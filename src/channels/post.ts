/** One POST to a checked address, without redirects, with a time limit and a limited response size. */
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { checkAddress, guardedLookup } from "./address.js";
import { type Channel, type DeliveryResult, refusedDelivery, retryDelivery, SENT } from "./channel.js";
import { deadline } from "./deadline.js";

export interface PostTarget {
  url: URL;
  allowPrivate: boolean;
  /** The name in error messages. */
  to: Channel["to"];
  receiver?: ReceiverRules;
}

/** What a channel knows about its receiver. */
export interface ReceiverRules {
  /** The likely cause of a status and what to do, instead of the text of `LIKELY_CAUSE`. */
  likelyCause: Readonly<Record<number, string>>;
  /** Whether a 2xx answer, of which the first 16 KiB are given, is one of this kind of receiver. */
  isAnswer: (body: string) => boolean;
  /** What to do if it is not. */
  otherAnswer: string;
}

const LIMIT_MS = 10_000;
const ANSWER_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_MAX_MS = 3_600_000;

/** A rejected request stays rejected; the receiver can fix all other errors. */
const FINAL: ReadonlySet<number> = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431]);

export function postJson(
  { url, allowPrivate, to, receiver }: PostTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const literal = /^[\d.]+$|:/.test(host) ? checkAddress(host, allowPrivate) : null;
  if (literal !== null) return Promise.resolve(refusedDelivery(`${to}: ${literal}`));
  return new Promise((resolve) => {
    const request = url.protocol === "https:" ? secureRequest : plainRequest;
    const limit = deadline(LIMIT_MS);
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
        const finish = (rules = receiver): void => {
          response.destroy();
          const { statusCode: status = 0, headers: answered } = response;
          resolve(outcomeOf(to, status, answered["retry-after"], Buffer.concat(chunks), rules));
        };
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > ANSWER_BYTES_MAX) finish();
        });
        response.on("end", () => finish());
        // The status arrived, so the alert did too: do not judge half an answer.
        response.on("error", () => finish(receiver && { ...receiver, isAnswer: () => true }));
      },
    );
    asked.on("error", (error: NodeJS.ErrnoException) => {
      // A name may resolve differently later, for example after a captive portal.
      if (error.code === "EREFUSED_ADDRESS") resolve(retryDelivery(`${to}: ${error.message}`));
      else if (limit.aborted) resolve(retryDelivery(`${to} did not answer within ${LIMIT_MS / 1000} s`));
      else
        resolve(retryDelivery(`${to} cannot be reached: ${signal.aborted ? "aborted" : connectionText(error.code)}`));
    });
    asked.end(body);
  });
}

function outcomeOf(
  to: string,
  status: number,
  retryAfter: string | undefined,
  answer: Buffer,
  receiver: ReceiverRules | undefined,
): DeliveryResult {
  if (status >= 200 && status < 300)
    return !receiver || receiver.isAnswer(answer.toString("utf8"))
      ? SENT
      : retryDelivery(`${to} answered ${status}: ${receiver.otherAnswer}`);
  // The response body is never shown: it may repeat secrets.
  if (status >= 300 && status < 400) return refusedDelivery(`${to} redirects (${status}): configure the new address`);
  if (FINAL.has(status)) return refusedDelivery(`${to} rejected the alert (${status})`);
  const afterMs = waitOf(retryAfter) ?? waitInBody(answer);
  const cause = receiver?.likelyCause[status] ?? LIKELY_CAUSE[status];
  return retryDelivery(`${to} answered ${status}${cause === undefined ? "" : `: ${cause}`}`, afterMs);
}

/** The most likely cause, for a user who is setting the channel up. */
const LIKELY_CAUSE: Readonly<Record<number, string>> = {
  401: "the token may be missing or wrong",
  403: "the token may be wrong or lack permission",
  404: "the address may be wrong",
  410: "the address is no longer in use",
};

const UNTRUSTED =
  "its certificate is not trusted; add its authority with NODE_EXTRA_CA_CERTS to the daemon's environment";

/** The same for a connection that fails. */
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens there; check that it runs, and the port in the address",
  ENOTFOUND: "the host name is unknown; check the address",
  EAI_AGAIN: "the host name cannot be looked up now; check the network",
  ENETUNREACH: "no network, or no route to it; check the network",
  EHOSTUNREACH: "no route to it; check the network and the address",
  ETIMEDOUT: "no answer; check the network and the address",
  EPROTO: "no TLS there; check the port, and whether the address should begin with http://",
  CERT_HAS_EXPIRED: "its certificate has expired; renew it",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name; check the address",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

const connectionText = (code = "no connection"): string =>
  CONNECTION[code] === undefined ? code : `${CONNECTION[code]} (${code})`;

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
