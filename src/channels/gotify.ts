/** Gotify: plain text, never Markdown, which would load images. The key is an extra, so that a program can drop repeats. */
import type { Notice, Severity } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson, type ReceiverRules } from "./post.js";
import { bodyOf, clipBytes, clipWithoutLinks } from "./text.js";

const MESSAGE_BYTES_MAX = 4000;
const TITLE_BYTES_MAX = 240;
/** On Android, 1 to 3 are silent, 4 to 7 make a sound, 8 and more also vibrate. */
const PRIORITY: Readonly<Record<Severity, number>> = { info: 2, warning: 5, critical: 8 };

export const gotifyPayload = (notice: Notice): Record<string, unknown> => ({
  title: clipWithoutLinks(notice.title, (text) => clipBytes(text, TITLE_BYTES_MAX)),
  message: clipWithoutLinks(bodyOf(notice) || notice.edge, (text) => clipBytes(text, MESSAGE_BYTES_MAX)),
  priority: PRIORITY[notice.severity],
  extras: { "client::display": { contentType: "text/plain" }, "rouse::alert": { key: notice.key } },
});

const ADDRESS = "url must be the address at which you open Gotify in a browser";
const TOKEN = "use the token of an application (in Gotify: Apps), not of a client";

const RECEIVER: ReceiverRules = {
  likelyCause: {
    401: `wrong token; ${TOKEN}`,
    403: `the token may not send; ${TOKEN}`,
    404: `no Gotify server at this address; ${ADDRESS}`,
  },
  // Gotify and servers compatible with it return the stored message as JSON, a web page does not. Any JSON object counts:
  // retrying an alert that did arrive would repeat it for a day.
  isAnswer: (body) => body.trimStart().startsWith("{"),
  otherAnswer: `this is not a Gotify server; ${ADDRESS}`,
};

/** Takes the address with or without `/message`. Drops the query: Gotify prefers a token there to the header. */
function messageUrl(url: URL): URL {
  const made = new URL(url);
  made.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/message$/, "")}/message`;
  made.search = "";
  return made;
}

export const gotifyChannel = (name: string, target: PostTarget, token: string): Channel => ({
  name,
  type: "gotify",
  to: target.to,
  paceMs: 1000,
  send: (notice, signal) =>
    postJson(
      { ...target, url: messageUrl(target.url), receiver: RECEIVER },
      JSON.stringify(gotifyPayload(notice)),
      { "content-type": "application/json", "x-gotify-key": token },
      signal,
    ),
});
