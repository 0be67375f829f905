/** ntfy, as JSON: plain text, without Markdown. The key as sequence id lets a repetition replace the first. */
import type { Notice, Severity } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson } from "./post.js";
import { bodyOf, clipBytes, clipWithoutLinks } from "./text.js";

const MESSAGE_BYTES_MAX = 4000;
const TITLE_BYTES_MAX = 240;
const PRIORITY: Readonly<Record<Severity, number>> = { info: 2, warning: 3, critical: 4 };
const TAG: Readonly<Record<Severity, string>> = {
  info: "white_check_mark",
  warning: "warning",
  critical: "rotating_light",
};

export const ntfyPayload = (notice: Notice, topic: string): Record<string, unknown> => ({
  topic,
  title: clipWithoutLinks(notice.title, (text) => clipBytes(text, TITLE_BYTES_MAX)),
  message: clipWithoutLinks(bodyOf(notice) || notice.edge, (text) => clipBytes(text, MESSAGE_BYTES_MAX)),
  priority: PRIORITY[notice.severity],
  tags: [TAG[notice.severity]],
  sequence_id: notice.key,
});

export const ntfyChannel = (name: string, target: PostTarget, topic: string, token: string | null): Channel => ({
  name,
  type: "ntfy",
  to: target.to,
  paceMs: 1000,
  send: (notice, signal) =>
    postJson(
      target,
      JSON.stringify(ntfyPayload(notice, topic)),
      { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      signal,
    ),
});
