/** Telegram bots. No parse mode, so no markup; in the body, one `pre` entity, nothing becomes a link or a mention. */
import type { Notice } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { type PostTarget, postJson } from "./post.js";
import { bodyOf, clipText, withoutLinks } from "./text.js";

const TEXT_MAX = 4096;

export function telegramPayload(notice: Notice, chat: string): Record<string, unknown> {
  const title = clipText(withoutLinks(notice.title), 300);
  const text = clipText(`${title}\n${bodyOf(notice)}`, TEXT_MAX).trimEnd();
  const from = title.length + 1;
  return {
    chat_id: chat,
    text,
    // Offsets count UTF-16 units, as JavaScript does. The title contains a chosen name, so it is an entity too.
    entities: [
      { type: "code", offset: 0, length: title.length },
      ...(text.length > from ? [{ type: "pre", offset: from, length: text.length - from }] : []),
    ],
    link_preview_options: { is_disabled: true },
    disable_notification: notice.severity === "info",
  };
}

/** The bot's token is part of the URL. */
export const telegramChannel = (name: string, target: PostTarget, token: string, chat: string): Channel => ({
  name,
  type: "telegram",
  to: target.to,
  paceMs: 1000,
  send: (notice, signal) =>
    postJson(
      { ...target, url: new URL(`/bot${token}/sendMessage`, target.url) },
      JSON.stringify(telegramPayload(notice, chat)),
      { "content-type": "application/json" },
      signal,
    ),
});
