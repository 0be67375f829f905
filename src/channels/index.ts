/** The channels that the user's configuration names. */
import type { ChannelSettings } from "../config/channels.js";
import type { Channel } from "./channel.js";
import { command } from "./command.js";
import { desktop } from "./desktop.js";
import { discord } from "./discord.js";
import { ntfy } from "./ntfy.js";
import type { PostTarget } from "./post.js";
import { slack } from "./slack.js";
import { telegram } from "./telegram.js";
import { terminal } from "./terminal.js";
import { webhook } from "./webhook.js";

export interface ChannelContext {
  /** Shows a text in the terminals that rouse has; how many there were. */
  ring: (text: string) => Promise<number>;
}

export function makeChannel(settings: ChannelSettings, { ring }: ChannelContext): Channel {
  const { name } = settings;
  switch (settings.type) {
    case "slack":
      return slack(name, targetOf(settings));
    case "discord":
      return discord(name, targetOf(settings));
    case "webhook":
      return webhook(name, targetOf(settings), settings.secret ?? null);
    case "ntfy":
      return ntfy(name, targetOf(settings), settings.topic, settings.token ?? null);
    case "telegram":
      return telegram(name, targetOf(settings), settings.token, String(settings.chat));
    case "email":
      return lazyEmail(settings);
    case "desktop":
      return desktop(name);
    case "terminal":
      return terminal(name, ring);
    case "command":
      return command(name, settings.command);
  }
}

/** An address is a secret: only its host is shown. */
function targetOf({ url, allow_private }: { url: string; allow_private: boolean }): PostTarget {
  const parsed = new URL(url);
  return { url: parsed, allowPrivate: allow_private, to: parsed.host };
}

/** nodemailer is loaded with the first mail: most have none. */
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
    send: async (notice, signal) => (await import("./email.js")).email(name, box).send(notice, signal),
  };
}
