/** Slack's incoming webhooks. Plain text objects hold no markup; the line for the notification is escaped as Slack asks. */
import type { Notice } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson } from "./post.js";
import { bodyOf, clipText, clipWithoutLinks } from "./text.js";

/** Limits of a header, of a section and of the top-level text. */
const HEADER_MAX = 150;
const SECTION_MAX = 3000;
const TEXT_MAX = 3000;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function slackPayload(notice: Notice): Record<string, unknown> {
  const { title } = notice;
  const body = bodyOf(notice);
  const within = (max: number) => (text: string) => clipText(text, max);
  const plain = (text: string, max: number) => ({
    type: "plain_text",
    text: clipWithoutLinks(text, within(max)),
    emoji: false,
  });
  return {
    text: clipWithoutLinks(escaped(title), within(TEXT_MAX)),
    mrkdwn: false,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: plain(title, HEADER_MAX) },
      ...(body === "" ? [] : [{ type: "section", text: plain(body, SECTION_MAX) }]),
      { type: "context", elements: [plain(`${notice.severity} · ${notice.key}`, 200)] },
    ],
  };
}

export const slackChannel = (name: string, target: PostTarget): Channel => ({
  name,
  type: "slack",
  to: target.to,
  paceMs: 1000,
  send: (notice, signal) =>
    postJson(target, JSON.stringify(slackPayload(notice)), { "content-type": "application/json" }, signal),
});
