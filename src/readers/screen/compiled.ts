/** A profile with its patterns compiled, once per profile. */
import { type Pattern, pattern } from "../../agents/pattern.js";
import type { AgentProfile, Rule } from "../../agents/profile.js";
import { Memo } from "../memo.js";
import { countdown } from "./countdown.js";
import { recall } from "./recall.js";
import { formsOf, type RowForm } from "./row-form.js";
import { RowSays } from "./row-says.js";

export interface CompiledRule extends Omit<Rule, "when"> {
  when: Pattern;
}

export interface CompiledProfile {
  profile: AgentProfile;
  version: Pattern | null;
  titles: { when: Pattern; status: "working" | "idle" | "blocked" }[];
  composer: {
    first: Pattern;
    not: Pattern | null;
    top: Pattern | null;
    bottom: Pattern | null;
    more: Pattern | null;
    belowMax: number;
    hiddenMeansDialog: boolean;
    placeholders: Pattern[];
  };
  /** What rules, noise and message pattern say of a row. */
  says: (row: string) => RowSays;
  /** What of a row decides where things stand. */
  form: (row: string) => RowForm;
  queued: Pattern | null;
  message: Pattern | null;
  dialogs: { when: Pattern; prompt: AgentProfile["dialogs"][number]["prompt"]; limit: boolean }[];
}

/** A screen has some 40 rows: so many keep those of several sessions, beside a status line that counts. */
const ROWS_MAX = 512;
/** A dialog is told from its joined rows, of which there are few; so are titles, even with a spinner in them. */
const BLOCKS_MAX = 64;

const cache = new WeakMap<AgentProfile, CompiledProfile>();

export function compileProfile(profile: AgentProfile): CompiledProfile {
  const known = cache.get(profile);
  if (known) return known;
  const onRow = (source: string): Pattern => recall(pattern(source), ROWS_MAX);
  const onBlock = (source: string): Pattern => recall(pattern(source), BLOCKS_MAX);
  const maybe = (source: string | null): Pattern | null => (source === null ? null : onRow(source));
  const rules: Record<Rule["region"], CompiledRule[]> = { status: [], foot: [], last: [], reply: [] };
  for (const rule of profile.rules) rules[rule.region].push({ ...rule, when: countdown(pattern(rule.when)) });
  const asked = { rules, noise: profile.noise.map(pattern), message: maybe(profile.message) };
  const rows = new Memo<RowSays>(ROWS_MAX, (row) => new RowSays(asked, row));
  const made: CompiledProfile = {
    profile,
    version: maybe(profile.versionRow),
    titles: profile.titles.map((t) => ({ when: onBlock(t.when), status: t.status })),
    composer: {
      first: onRow(profile.composer.first),
      not: maybe(profile.composer.not),
      top: maybe(profile.composer.top),
      bottom: maybe(profile.composer.bottom),
      more: maybe(profile.composer.more),
      belowMax: profile.composer.belowMax,
      hiddenMeansDialog: profile.composer.hiddenMeansDialog,
      placeholders: profile.composer.placeholders.map(onRow),
    },
    says: (row) => rows.of(row),
    form: formsOf((row) => rows.of(row)),
    queued: maybe(profile.queued),
    message: asked.message,
    dialogs: profile.dialogs.map((d) => ({ when: onBlock(d.when), prompt: d.prompt, limit: d.limit ?? false })),
  };
  cache.set(profile, made);
  return made;
}
