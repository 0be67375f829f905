/**
 * The prompts as files: those of the package, and the user's own in the configuration folder. `prompts/NAME.md` replaces one,
 * `prompts/NAME.extra.md` is added at its end.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTrustedFile } from "../../config/file.js";
import { issueText } from "../../config/issue.js";
import { otherNames } from "../../config/suggest.js";
import { TemplateError } from "./template.js";

export interface PromptFile {
  name: string;
  text: string;
  /** The files that it comes from. */
  from: string[];
  origin: "built-in" | "yours" | "extended";
}

const SHIPPED = fileURLToPath(new URL("../../../prompts/", import.meta.url));
const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const EXTRA = ".extra";
const ENDING = ".md";

/** What each prompt of the package is for. */
export const PROMPT_USES: Readonly<Record<string, string>> = {
  implementation: "first session of a task",
  continuation: "session that takes over a task",
  approach: "session that takes over a task with a different approach",
  checkpoints: "how to report progress; part of the three above",
  finish: "how to end; part of the three above",
  resume: "agent that should continue its work",
  "resume-actions": "what to do, by state or cause; part of resume",
  nudge: "one line typed into a terminal, by kind or cause",
  watchdog: "agent that watches other agents",
};

const userFolder = (config: string): string => join(config, "prompts");

/** Names of the prompts, with the user's own. */
export function promptNames(config: string): string[] {
  let own: string[] = [];
  try {
    own = readdirSync(userFolder(config)).flatMap((file) =>
      file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : [],
    );
  } catch {}
  return [...new Set([...Object.keys(PROMPT_USES), ...own.filter((name) => NAME.test(name))])];
}

/** Throws `TemplateError` if there is none, or if the user's file cannot be read. */
export function readPrompt(name: string, config: string): PromptFile {
  const shipped = Object.hasOwn(PROMPT_USES, name) ? join(SHIPPED, name + ENDING) : null;
  const own = NAME.test(name) ? ownFile(join(userFolder(config), name + ENDING)) : null;
  const extra = NAME.test(name) ? ownFile(join(userFolder(config), name + EXTRA + ENDING)) : null;
  const base = own ?? (shipped === null ? null : { path: shipped, text: readFileSync(shipped, "utf8") });
  if (!base)
    throw new TemplateError(
      `unknown prompt ${JSON.stringify(name.slice(0, 80))}; ${otherNames(name, promptNames(config))}`,
    );
  const from = [base.path, ...(extra ? [extra.path] : [])];
  const text = extra ? `${base.text.trimEnd()}\n\n${extra.text}` : base.text;
  return { name, text, from, origin: own ? "yours" : extra ? "extended" : "built-in" };
}

function ownFile(path: string): { path: string; text: string } | null {
  const found = readTrustedFile(path);
  if (found === null) return null;
  if (typeof found !== "string") throw new TemplateError(issueText(found));
  return { path, text: found };
}
