/**
 * The schema of a profile. Loaded only for a user's own profile: zod takes 50 ms and 9 MB, which the process beside
 * each agent does not need for the built-in profiles.
 */
import * as z from "zod";
import { compilePattern } from "./pattern.js";

/** RE2, compiled when it is read: a field of this type cannot be forgotten when profiles are checked. */
const re2 = z.string().superRefine((source, context) => {
  try {
    compilePattern(source);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const words = z.array(z.string()).default([]);
const status = z.enum(["working", "idle", "blocked"]);
const prompt = z.enum(["permission", "confirmation", "input", "plan", "trust", "login"]);

/** Facts that a row can state. `failure` is classified by the table of vendor texts. */
const FACTS = [
  "busy",
  "retry",
  "failure",
  "limit",
  "ended",
  "interrupted",
  "compacting",
  "background",
  "tool",
] as const;

/** Null if there is none; TOML has no null, so it may be omitted. */
const absent = re2.nullable().default(null);

export const ruleSchema = z.strictObject({
  /** By it, a user's profile replaces or removes the rule. Every built-in rule has one. */
  id: z.string().min(1).optional(),
  fact: z.enum(FACTS),
  region: z.enum(["status", "foot", "last"]),
  /** RE2. Named groups: attempt, max, delay, text, subject, count. Elapsed time and tokens are found by shape. */
  when: re2,
  /** The text is drawn in red or amber, which a quoted copy is not. Ignored if colours are unknown. */
  tinted: z.boolean().optional(),
  /** The text is drawn in grey, like a program's own remarks. Ignored if colours are unknown. */
  muted: z.boolean().optional(),
  /** The row's frame is drawn in red. Ignored if colours are unknown. */
  redFrame: z.boolean().optional(),
  /** Its words are unique: it also counts if the program draws without colours (`NO_COLOR`). */
  plain: z.boolean().optional(),
  /**
   * The row's clock or the one above it runs, or it is the lowest row of the screen. Otherwise it is reply with these
   * words.
   */
  live: z.boolean().optional(),
  /**
   * For `tool`: its output is attached below its row (`⎿`) when it has ended. Until then nothing is, or a word and
   * dots.
   */
  alone: z.boolean().optional(),
  /** Not if a message with its sign is above and the row has that message's indent: then it is text of the agent. */
  unsaid: z.boolean().optional(),
  /** Only as the first row with words of its block: further down it may be text of the agent about something else. */
  opens: z.boolean().optional(),
  /** It is the row right above the last message, whose text was cut off by what it states. */
  above: z.boolean().optional(),
  /** For `failure`: the cause if the text itself has none; without it an unknown text is not a failure. */
  fallback: z.enum(["api", "auth", "unreachable"]).optional(),
  /** For `retry`: the kind of failure, if the words do not show it. */
  infra: z.enum(["rate", "overload", "network", "refused", "auth"]).optional(),
  /** For `busy`: a program that shows this retries silently, as long as it shows nothing of the reply. */
  retriesSilently: z.boolean().optional(),
  /** For `tool`: what class the running tool has. */
  class: z.enum(["shell", "instant", "web", "mcp", "subagent", "other"]).optional(),
});

export const profileSchema = z.strictObject({
  id: z.string(),
  /** Grows with every change of this profile; shown by `rouse doctor`. */
  revision: z.int(),
  programs: z.array(z.string()),
  /** Its name in its own version output. */
  products: z.array(z.string()),
  /** Another program whose transcripts and streams it writes, as a fork does. */
  records: z.string().optional(),
  /** It knows little more than structure, so motion, static rows and signs before messages are read as well. */
  structural: z.boolean().optional(),
  /** The releases whose recordings the profile was checked against. */
  versions: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** The row with the program's version. Named group: version. */
  versionRow: re2.nullable(),
  titles: z.array(z.strictObject({ when: re2, status })),
  composer: z.strictObject({
    /** First row of the composer. Named group: draft. */
    first: re2,
    not: absent,
    /** The row right above and the closing row below, if the composer has a frame. */
    top: absent,
    bottom: absent,
    /** Further rows of a draft, if the composer has no frame. */
    more: absent,
    /** At most this many non-empty rows are below it. */
    belowMax: z.int(),
    /** It is missing only while a dialog takes its place, so a dialog's words at the bottom are enough. */
    hiddenMeansDialog: z.boolean(),
    /** A draft that is only the program's own hint. */
    placeholders: z.array(re2),
  }),
  rules: z.array(ruleSchema),
  /** Rows between reply and composer that are neither reply nor progress: tips, queue, effort hints. */
  noise: z.array(re2),
  /** A row that marks the block around it as queued: typed during a turn, and not progress of the agent. */
  queued: re2.nullable(),
  /** First row of a message by the agent. Named group: text. */
  message: re2.nullable(),
  /** A message may also appear without it: the lowest prose is one then. */
  bareMessages: z.boolean().optional(),
  /** `limit`: the dialog of a usage limit; `userOnly`: it stays until a user answers it, also after the limit. */
  dialogs: z.array(
    z.strictObject({ prompt, when: re2, limit: z.boolean().optional(), userOnly: z.boolean().optional() }),
  ),
  traits: z.strictObject({
    /** The reply appears on the screen while it streams. */
    streamsReply: z.boolean(),
    /** The status line has a counter of tokens. */
    countsTokens: z.boolean(),
    /** It retries silently: silence before the first text of a reply may be its own back-off. */
    retriesSilently: z.boolean(),
    /** Its own time-out of a silent stream; rouse acts after it, never before. */
    ownTimeoutMs: z.int().nullable(),
    /** Its busy mark must be absent from the screen for this long before the turn counts as ended. */
    settleMs: z.int(),
    /** It closes a turn with a mark of its own: there is a rule for `ended`. */
    marksEnd: z.boolean(),
    /** An interrupted turn stays in the conversation, with its prompt. False if it does not, or if that is unknown. */
    keepsInterruptedTurn: z.boolean().default(false),
    /** Neither status, title nor screen shows it as busy before its first turn, while it loads or starts its servers. */
    startsQuiet: z.boolean().optional(),
    /** Its status stays busy while a command that outlives the turn, such as a server, is running. */
    statusOutlivesTurn: z.boolean().optional(),
    /** Its title asks for an answer also when a running tool has printed nothing for a while. */
    titleReportsQuietTool: z.boolean().optional(),
    takesToolInput: z.boolean().optional(),
    /** When background work ends, the program starts a turn by itself. */
    backgroundWakes: z.boolean().optional(),
    /** Its own supervisor of sessions in the background: rouse acts after it, never before. */
    supervisor: z
      .strictObject({ name: z.string(), restartMs: z.int(), startMs: z.int(), open: z.array(z.string()) })
      .optional(),
  }),
  keys: z.strictObject({ interrupt: z.array(z.string()), submit: z.array(z.string()), quit: z.array(z.string()) }),
  /** Argument arrays; `{session}` and `{text}` are filled in as whole arguments, `{options}` as none or several. */
  resume: z.strictObject({
    byId: z.array(z.string()).nullable(),
    latest: z.array(z.string()).nullable(),
    headless: z.array(z.string()).nullable(),
    /** Arguments that make a command of this program headless. */
    headlessBy: words,
    /** Options that remain valid for a resumed session. An option in none of these lists prevents a resume. */
    options: z
      .strictObject({
        flags: words,
        values: words,
        /** Take every word up to the next option. */
        lists: words,
        /** Options for the start of the session only: left out, some of them with their value. */
        over: words,
        overWithValue: words,
      })
      .prefault({}),
  }),
});

/** A user's profile. Its rules are added to those of its base; every other given part replaces that part completely. */
export const profileOverrideSchema = profileSchema.partial().extend({
  id: z.string(),
  extends: z.string().optional(),
  /** Ids of rules of the base to remove; `*` for all of them. */
  removeRules: z.array(z.string()).optional(),
});
