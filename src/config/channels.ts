/**
 * The channels of the user's own file: `[channels.NAME]`. A project file may not define any. Secrets may be given in a
 * variable or a separate file, and are never shown.
 */
import { join } from "node:path";
import * as z from "zod";
import { PROBLEMS } from "../core/incidents/problem.js";
import { CHANNEL_SEVERITIES, type Severity } from "../core/notices/alert.js";
import { redact } from "../core/text/redact.js";
import { isTable, readTrustedFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import type { ConfigValue } from "./key.js";
import { rousePaths } from "./paths.js";
import type { Position } from "./positions.js";
import { tablesOf } from "./tables.js";

type Env = Readonly<Record<string, string | undefined>>;

const text = z.string().min(1).max(2000);
const names = z.array(z.string().min(1).max(200)).min(1).max(200);

const common = {
  severity: z.enum(CHANNEL_SEVERITIES).default("warning"),
  agents: names.optional(),
  tags: names.optional(),
  problems: z
    .array(z.enum(PROBLEMS as [string, ...string[]]))
    .min(1)
    .optional(),
  /** false: quiet hours do not apply to this channel. */
  quiet: z.boolean().default(true),
  digest: z.boolean().default(false),
  allow_private: z.boolean().default(false),
};

/** Each may be given as it is, as `NAME_env` or as `NAME_file`. */
const SECRETS = ["url", "token", "secret", "password"] as const;

const schema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("slack"), url: text, ...common }),
  z.strictObject({ type: z.literal("discord"), url: text, ...common }),
  z.strictObject({ type: z.literal("webhook"), url: text, secret: text.optional(), ...common }),
  z.strictObject({
    type: z.literal("gotify"),
    url: text,
    token: z.string().regex(/^[-._A-Za-z0-9]{1,100}$/, "must be an application token: letters, digits, ., - and _"),
    ...common,
  }),
  z.strictObject({
    type: z.literal("ntfy"),
    url: text.default("https://ntfy.sh"),
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, "must have up to 64 letters, digits, - and _"),
    token: text.optional(),
    ...common,
  }),
  z.strictObject({
    type: z.literal("telegram"),
    url: text.default("https://api.telegram.org"),
    token: z.string().regex(/^\d{1,20}:[-_A-Za-z0-9]{10,100}$/, "must be a bot token: a number, a colon and letters"),
    chat: z.union([z.string().regex(/^(?:@\w{1,64}|-?\d{1,20})$/, "must be a number or @channel"), z.int()]),
    ...common,
  }),
  z.strictObject({
    type: z.literal("email"),
    host: z.string().min(1).max(255),
    port: z.int().min(1).max(65_535).default(587),
    secure: z.boolean().optional(),
    user: text.optional(),
    password: text.optional(),
    from: z.email(),
    to: z.union([z.email(), z.array(z.email()).min(1).max(50)]),
    ...common,
  }),
  z.strictObject({ type: z.literal("desktop"), ...common }),
  z.strictObject({ type: z.literal("terminal"), ...common }),
  z.strictObject({ type: z.literal("command"), command: z.array(z.string().max(4000)).min(1).max(100), ...common }),
]);

export type ChannelSettings = z.infer<typeof schema> & { name: string; severity: Severity };
const CHANNEL_TYPES: readonly string[] = schema.options.map((one) => one.shape.type.value);

/** For editors: the settings of each type, with the three ways to give a secret. */
export function channelSchema(): Record<string, unknown> {
  const variants = schema.options.map((option) => {
    const made = z.toJSONSchema(option, { io: "input" }) as Variant;
    const secrets = SECRETS.filter((secret) => Object.hasOwn(made.properties, secret));
    const ways = secrets.flatMap((secret) => [`${secret}_env`, `${secret}_file`]);
    const required = (made.required ?? []).filter((name) => !(secrets as string[]).includes(name));
    return {
      ...made,
      $schema: undefined,
      properties: { ...made.properties, ...Object.fromEntries(ways.map((way) => [way, { type: "string" }])) },
      required,
    };
  });
  return { oneOf: variants };
}

interface Variant {
  properties: Record<string, unknown>;
  required?: string[];
}

export interface LoadedChannels {
  channels: ChannelSettings[];
  /** The channels in effect by name, for display: without secrets. */
  shown: Record<string, ShownChannel>;
  issues: ConfigIssue[];
}

export interface ShownChannel {
  settings: Record<string, ConfigValue>;
  where: string;
  position?: Position | undefined;
}

/** What is wrong with a channel. */
interface Wrong {
  text: string;
  /** Names below the channel that lead to it. */
  at?: readonly PropertyKey[];
  level?: ConfigIssue["level"];
}

/** The daemon needs every variable; a user's shell may lack some. */
type Reader = "daemon" | "person";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const CHANNELS_MAX = 50;
const SECRET_CHARS_MAX = 2000;

/** An invalid channel is reported and ignored; the others are used. */
export function loadChannels(env: Env = process.env, reader: Reader = "daemon"): LoadedChannels {
  const where = join(rousePaths(env).config, "config.toml");
  const { tables, positionOf } = tablesOf(where, "channels");
  const loaded: LoadedChannels = { channels: [], shown: {}, issues: [] };
  for (const [name, table] of Object.entries(tables).slice(0, CHANNELS_MAX)) {
    const made = NAME.test(name)
      ? channelOf(name, table, env, reader)
      : { text: "the name must have up to 63 letters, digits, - and _" };
    if ("text" in made) {
      const { text, at = [], level = "error" } = made;
      const position = positionOf(["channels", name, ...at.map(String)]);
      const outcome = level === "error" ? "; it is not used" : "";
      loaded.issues.push({ level, where, position, text: `channels.${shortly(name, 80)}: ${text}${outcome}` });
    } else {
      loaded.channels.push(made);
      const settings = shownSettings(made, table as Record<string, unknown>);
      loaded.shown[name] = { settings, where, position: positionOf(["channels", name]) };
    }
  }
  return loaded;
}

/** What is wrong with a new channel; null if it can be added. */
export function channelObjection(name: string, table: Record<string, unknown>, env: Env = process.env): string | null {
  if (!NAME.test(name)) return "the name must have up to 63 letters, digits, - and _";
  const made = channelOf(name, table, env, "person");
  return "text" in made ? made.text : null;
}

function channelOf(name: string, table: unknown, env: Env, reader: Reader): ChannelSettings | Wrong {
  if (!isTable(table)) return { text: "must be a table: [channels.NAME]" };
  const given = withSecrets(table, env, reader);
  if ("wrong" in given) return given.wrong;
  const parsed = schema.safeParse(given.table);
  if (!parsed.success) return { text: issueText(parsed.error.issues[0]), at: parsed.error.issues[0]?.path ?? [] };
  const issue = "url" in parsed.data ? checkUrl(parsed.data.url, parsed.data.allow_private) : null;
  return issue ? { text: issue, at: ["url"] } : { ...parsed.data, name };
}

const HIDDEN = "(not shown)";
/** Everyone who knows the topic can read it. */
const UNSHOWN: ReadonlySet<string> = new Set([...SECRETS, "topic"]);

/** Shows where a secret is stored or that it is set; redacts other values that look like secrets. */
function shownSettings({ name: _name, ...settings }: ChannelSettings, table: Record<string, unknown>) {
  const shown: Record<string, ConfigValue> = {};
  for (const [key, value] of Object.entries(settings)) {
    const way = [`${key}_env`, `${key}_file`].find((one) => table[one] !== undefined);
    if (way !== undefined) shown[way] = redact(String(table[way]));
    else if (UNSHOWN.has(key) && table[key] !== undefined) shown[key] = HIDDEN;
    else if (typeof value === "string") shown[key] = redact(value);
    else if (Array.isArray(value)) shown[key] = value.map((one) => redact(String(one)));
    else if (value !== undefined) shown[key] = value as ConfigValue;
  }
  return shown;
}

/** A secret may be in place of a name; redact before cutting, because a cut secret is not recognized. */
const shortly = (text: string, chars: number): string => redact(text).slice(0, chars);

/** Does not quote the value: it may be a secret. */
function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_union") return `type must be one of ${CHANNEL_TYPES.join(", ")}`;
  if (issue?.code === "unrecognized_keys") return `unknown setting ${shortly(issue.keys.join(", "), 100)}`;
  const name = issue?.path.join(".") || "it";
  if (issue?.code === "invalid_type" && issue.message.endsWith("received undefined")) return missingText(name);
  return `${name}: ${issue?.message ?? "it is not valid"}`;
}

const missingText = (name: string): string =>
  (SECRETS as readonly string[]).includes(name)
    ? `${name} is missing; give ${name}, ${name}_env (a variable) or ${name}_file (a file)`
    : `${name} is missing`;

function checkUrl(given: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return "url must begin with https://";
  if (url.protocol === "http:" && !allowPrivate)
    return "url must begin with https://; http:// is accepted only in a private network, with allow_private";
  return null;
}

type Given = { table: Record<string, unknown> } | { wrong: Wrong };

function withSecrets(table: Record<string, unknown>, env: Env, reader: Reader): Given {
  const given = { ...table };
  const wrong = (text: string, at: string, level?: ConfigIssue["level"]): Given => ({
    wrong: { text, at: [at], ...(level && { level }) },
  });
  for (const secret of SECRETS) {
    const { [`${secret}_env`]: variable, [`${secret}_file`]: file } = given;
    delete given[`${secret}_env`];
    delete given[`${secret}_file`];
    if ([variable, file, given[secret]].filter((one) => one !== undefined).length > 1)
      return wrong(`give one of ${secret}, ${secret}_env and ${secret}_file`, secret);
    if (variable !== undefined) {
      const value = typeof variable === "string" ? env[variable] : undefined;
      if (!value) {
        const which = `${secret}_env: the variable ${shortly(JSON.stringify(variable), 80)} is not set`;
        return reader === "daemon"
          ? wrong(`${which} in the daemon's environment`, `${secret}_env`)
          : wrong(`${which} here; the daemon needs it`, `${secret}_env`, "notice");
      }
      given[secret] = value;
    }
    if (file !== undefined) {
      const value = typeof file === "string" ? readTrustedFile(file) : null;
      if (typeof value !== "string") return wrong(`${secret}_file: ${value?.text ?? "no such file"}`, `${secret}_file`);
      given[secret] = value.trim().slice(0, SECRET_CHARS_MAX);
    }
  }
  return { table: given };
}
