/** The channels of the user's configuration. */
import type { ChannelSettings } from "../config/channels.js";
import type { Channel } from "./channel.js";
import { commandChannel } from "./command.js";
import { desktopChannel } from "./desktop.js";
import { discordChannel } from "./discord.js";
import { gotifyChannel } from "./gotify.js";
import { ntfyChannel } from "./ntfy.js";
import type { PostTarget } from "./post.js";
import { slackChannel } from "./slack.js";
import { telegramChannel } from "./telegram.js";
import { terminalChannel } from "./terminal.js";
import { webhookChannel } from "./webhook.js";

export interface ChannelContext {
  /** Shows a text in all attached rouse terminals; returns their number. */
  ring: (text: string) => Promise<number>;
}

export function makeChannel(settings: ChannelSettings, { ring }: ChannelContext): Channel {
  const { name } = settings;
  switch (settings.type) {
    case "slack":
      return slackChannel(name, targetOf(settings));
    case "discord":
      return discordChannel(name, targetOf(settings));
    case "webhook":
      return webhookChannel(name, targetOf(settings), settings.secret ?? null);
    case "gotify":
      return gotifyChannel(name, targetOf(settings), settings.token);
    case "ntfy":
      return ntfyChannel(name, targetOf(settings), settings.topic, settings.token ?? null);
    case "telegram":
      return telegramChannel(name, targetOf(settings), settings.token, String(settings.chat));
    case "email":
      return lazyEmail(settings);
    case "desktop":
      return desktopChannel(name);
    case "terminal":
      return terminalChannel(name, ring);
    case "command":
      return commandChannel(name, settings.command);
  }
}

/** An address is a secret: only its host is shown. */
function targetOf({ url, allow_private }: { url: string; allow_private: boolean }): PostTarget {
  const parsed = new URL(url);
  return { url: parsed, allowPrivate: allow_private, to: parsed.host };
}

/** Loads nodemailer with the first mail: most installations send none. */
function lazyEmail(settings: Extract<ChannelSettings, { type: "email" }>): Channel {
  const { name, host, port, secure, user, password, from, to, allow_private } = settings;
  const box = {
    host,
    port,
    secure: secure ?? port === 465,
    user: user ?? null,
    password: password ?? null,
    from,
    to: typeof to === "string" ? [to] : to,
    allowPrivate: allow_private,
  };
  return {
    name,
    type: "email",
    to: `${host}:${port}`,
    paceMs: 1000,
    send: async (notice, signal) => (await import("./email.js")).emailChannel(name, box).send(notice, signal),
  };
}
