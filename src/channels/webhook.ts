/**
 * A POST with the notice as JSON. With a secret it is signed: HMAC-SHA256 over the timestamp, a dot and the body, so that
 * neither can be changed and old requests can be refused.
 */
import { createHmac } from "node:crypto";
import type { Notice } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson } from "./post.js";

export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

export function webhookChannel(
  name: string,
  target: PostTarget,
  secret: string | null,
  now: () => number = Date.now,
): Channel {
  return {
    name,
    type: "webhook",
    to: target.to,
    paceMs: 0,
    send: (notice, signal) => {
      const body = JSON.stringify(payloadOf(notice));
      const timestamp = String(Math.floor(now() / 1000));
      const headers = {
        "content-type": "application/json",
        "idempotency-key": notice.key,
        "x-rouse-timestamp": timestamp,
        ...(secret === null ? {} : { "x-rouse-signature": signatureOf(secret, timestamp, body) }),
      };
      return postJson(target, body, headers, signal);
    },
  };
}

/** The JSON form of a notice: see docs/alerts.md. */
export const payloadOf = ({ key, subject, kind, edge, severity, at, title, lines, agents, incidents }: Notice) => ({
  key,
  subject,
  type: kind,
  event: edge,
  severity,
  at: new Date(at).toISOString(),
  title,
  lines,
  agents,
  incidents,
});
