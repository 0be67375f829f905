/** Lines of the audit trail: what was ordered, by which author and over which interface, and what came of it. */
import * as z from "zod";
import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";

/** The interface of an order. `timer`: a watchdog timer; `fleet`: another node; `daemon`: rouse itself. */
export const AUDIT_ORIGINS = ["cli", "socket", "http", "mcp", "timer", "fleet", "daemon"] as const;
export type AuditOrigin = (typeof AUDIT_ORIGINS)[number];

export const AUDIT_RESULTS = ["done", "refused", "failed", "unknown"] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

export interface AuditAuthor {
  /** `user`, `token NAME`, `agent NAME`, `rouse (POLICY)`, or `unknown` for a change that no command of rouse made. */
  author: string;
  origin: AuditOrigin;
}

export interface AuditEntry extends AuditAuthor {
  at: number;
  action: string;
  agent: string | null;
  session: string | null;
  /** The typed text, or the arguments of the order. */
  text: string;
  /** Id of an action of rouse, or of a line that a command wrote without a daemon. */
  key?: string;
}

export interface AuditOutcome {
  at: number;
  result: AuditResult;
  reason: string;
}

const TEXT_MAX = 1000;
const NAME_MAX = 200;

/** Without control characters and secrets in known formats, and bounded. */
const clean = (text: string, max: number): string => redact(sanitizeLine(text.slice(0, max)));

/** The stored form; the hash is over exactly this text. */
export function entryText({ at, author, origin, action, agent, session, text, key }: AuditEntry): string {
  return JSON.stringify({
    at,
    author: clean(author, NAME_MAX),
    origin,
    action: clean(action, NAME_MAX),
    agent: agent === null ? null : clean(agent, NAME_MAX),
    session: session === null ? null : clean(session, NAME_MAX),
    text: clean(text, TEXT_MAX),
    ...(key === undefined ? {} : { key: clean(key, NAME_MAX) }),
  });
}

export const outcomeText = ({ at, result, reason }: AuditOutcome): string =>
  JSON.stringify({ at, result, reason: clean(reason, TEXT_MAX) });

const word = z.string();
/** Loose: a newer rouse may store more. */
const entrySchema = z.looseObject({
  at: z.number(),
  author: word,
  origin: z.enum(AUDIT_ORIGINS),
  action: word,
  agent: word.nullable(),
  session: word.nullable(),
  text: word,
  key: word.optional(),
});
const outcomeSchema = z.looseObject({ at: z.number(), result: z.enum(AUDIT_RESULTS), reason: word });

/** Null if it cannot be read. */
export const readEntry = (text: string): AuditEntry | null => read(entrySchema, text) as AuditEntry | null;
export const readOutcome = (text: string): AuditOutcome | null => read(outcomeSchema, text);

function read<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
