/** Discord webhooks. Mentions are off in the payload; the body is a code block, in which nothing is markup. */
import type { Notice } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson } from "./post.js";
import { bodyOf, clipText, withoutLinks } from "./text.js";

const CONTENT_MAX = 2000;
const TITLE_MAX = 300;
const SUPPRESS_EMBEDS = 4;

const escaped = (text: string): string => text.replace(/[\\`*_{}[\]()#+\-.!|>~<:@&]/g, "\\$&");
/** Three backticks would end the code block, so none is kept. */
const unticked = (text: string): string => text.replaceAll("`", "'");

export function discordPayload(notice: Notice): Record<string, unknown> {
  const title = clipText(escaped(withoutLinks(notice.title)), TITLE_MAX).replace(/\\+…$/, "…");
  const body = clipText(unticked(bodyOf(notice)), CONTENT_MAX - TITLE_MAX - 20);
  return {
    content: body === "" ? title : `${title}\n\`\`\`\n${body}\n\`\`\``,
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  };
}

export const discordChannel = (name: string, target: PostTarget): Channel => ({
  name,
  type: "discord",
  to: target.to,
  paceMs: 1000,
  send: (notice, signal) =>
    postJson(target, JSON.stringify(discordPayload(notice)), { "content-type": "application/json" }, signal),
});
