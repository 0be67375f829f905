/** Which running agents are watched without having been started by rouse. Kept beside the journal, so it outlives a restart. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { writeWhole } from "../../config/whole-file.js";

const schema = z.object({
  /** Every pane and process that holds a known agent program. */
  programs: z.boolean(),
  tags: z.array(z.string().max(100)).max(100),
  /** Names or pane ids that a person asked for. */
  names: z.array(z.string().max(200)).max(200),
  /** Forget what was asked for before. */
  again: z.boolean().optional(),
});

export type WatchRules = z.infer<typeof schema>;

const parseRules = (value: unknown): WatchRules | null => schema.safeParse(value).data ?? null;

/** What was asked for in an earlier life; nothing beyond the configuration where there is no such file. */
export function readRules(path: string): WatchRules {
  try {
    return parseRules(JSON.parse(readFileSync(path, "utf8"))) ?? NONE;
  } catch {
    return NONE;
  }
}

export const writeRules = (path: string, rules: WatchRules): void => writeWhole(path, JSON.stringify(rules));

/** Asking again adds; it never takes away what another asked for. */
export function joinRules(a: WatchRules, b: WatchRules): WatchRules {
  return {
    programs: a.programs || b.programs,
    tags: [...new Set([...a.tags, ...b.tags])].slice(0, 100),
    names: [...new Set([...a.names, ...b.names])].slice(0, 200),
  };
}

const NONE: WatchRules = { programs: false, tags: [], names: [] };
