/** E-mail over SMTP. nodemailer builds the message, so no text can become a header. Plain text, never HTML. */
import { connect, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import { digest } from "../core/digest.js";
import type { Notice } from "../core/notices/alert.js";
import { checkAddress, guardedLookup } from "./address.js";
import { type Channel, type DeliveryResult, refusedDelivery, retryDelivery, SENT } from "./channel.js";
import { bodyOf, withoutLinks } from "./text.js";

export interface Mailbox {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS, which a private address may do without. */
  secure: boolean;
  user: string | null;
  password: string | null;
  from: string;
  to: readonly string[];
  allowPrivate: boolean;
}

const LIMIT_MS = 15_000;

export function emailChannel(name: string, box: Mailbox): Channel {
  const to = `${box.host}:${box.port}`;
  return {
    name,
    type: "email",
    to,
    paceMs: 1000,
    send: async (notice, signal) => {
      const open = await connected(box, signal);
      if (typeof open === "string") return retryDelivery(`${to}: ${open === REFUSED ? WHY_REFUSED : open}`);
      try {
        await transportOf(box, open).sendMail(messageOf(notice, box));
        return SENT;
      } catch (error) {
        return outcomeOf(to, error as Failure);
      } finally {
        open.destroy();
      }
    },
  };
}

function transportOf({ host, port, secure, user, password, allowPrivate }: Mailbox, connection: Socket) {
  return createTransport({
    host,
    port,
    secure,
    connection,
    requireTLS: !secure && !allowPrivate,
    greetingTimeout: LIMIT_MS,
    socketTimeout: LIMIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
}

/** The same alert has the same id, and all alerts about one problem are one thread. */
export function messageOf(notice: Notice, { from, to }: Pick<Mailbox, "from" | "to">) {
  const thread = `<${digest(notice.subject)}.subject@rouse.invalid>`;
  return {
    from,
    to: [...to],
    subject: withoutLinks(notice.title),
    text: `${withoutLinks(bodyOf(notice))}\n\n-- \nrouse · ${notice.severity} · ${notice.key}\n`,
    messageId: `<${notice.key}@rouse.invalid>`,
    references: [thread],
    inReplyTo: thread,
    date: new Date(notice.at),
    headers: { "Auto-Submitted": "auto-generated", "X-Rouse-Key": notice.key },
  };
}

const REFUSED = "EREFUSED_ADDRESS";
const WHY_REFUSED = "the address is in a private network or is never allowed (see allow_private)";

function connected({ host, port, allowPrivate }: Mailbox, signal: AbortSignal): Promise<Socket | string> {
  const literal = /^[\d.]+$|:/.test(host) ? checkAddress(host, allowPrivate) : null;
  if (literal !== null) return Promise.resolve(REFUSED);
  return new Promise((resolve) => {
    const socket = connect({ host, port, lookup: guardedLookup(allowPrivate) });
    const end = (why: string): void => {
      socket.destroy();
      resolve(why);
    };
    signal.addEventListener("abort", () => end("aborted"), { once: true });
    socket.setTimeout(LIMIT_MS, () => end("timed out"));
    socket.once("connect", () => resolve(socket));
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? "no connection"));
  });
}

interface Failure {
  code?: string;
  responseCode?: number;
}

/** A failing login can be fixed; an address that does not exist stays wrong. */
function outcomeOf(to: string, { code, responseCode }: Failure): DeliveryResult {
  const says = `${to}: ${code ?? "delivery failed"}${responseCode === undefined ? "" : ` (${responseCode})`}`;
  const isFinal = code !== "EAUTH" && responseCode !== undefined && responseCode >= 500;
  return isFinal ? refusedDelivery(says) : retryDelivery(says);
}
