/** The prompt of an agent that is to continue its work, and the one line that is typed into its terminal. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readTrustedFile } from "../../config/file.js";
import type { Config } from "../../config/keys.js";
import type { Action } from "../../core/action.js";
import { ROUSE_MARK } from "../../core/judgement/noise.js";
import { sanitize } from "../../core/text/sanitize.js";
import { readPrompt } from "./files.js";
import { render, sectionsOf, TemplateError } from "./template.js";

export interface ResumeInput {
  /** Of the agent now. */
  state: string;
  cause: string | null;
  reason: string;
  /** Its task, and the next of the queue; null for none. */
  task: string | null;
  nextTask: string | null;
  workspace: string | null;
}

const TEXT_MAX = 4000;
const line = (text: string, max = 300): string => sanitize(text.replace(/\s+/g, " "), max).trim();

/** Throws `TemplateError`. */
export function makeResumePrompt(input: ResumeInput, project: Config["project"], config: string): string {
  const actions = sectionsOf(readPrompt("resume-actions", config).text);
  const { mission, priorities } = projectTexts(project, input.workspace);
  const found = [input.cause ?? "", input.state, "other"].find((name) => actions.has(name));
  const text = render("resume", readPrompt("resume", config).text, {
    state: input.state,
    cause: input.cause ?? "",
    reason: line(input.reason),
    task: line(input.task ?? ""),
    next_task: line(input.nextTask ?? ""),
    mission,
    priorities,
    actions: actions.get(found ?? "") ?? "",
    mark: ROUSE_MARK,
  });
  return text.includes(ROUSE_MARK) ? text : `${text}\n${ROUSE_MARK}`;
}

/** From the named file, else from the configuration. A file has both under headings, or only the mission. */
function projectTexts(project: Config["project"], workspace: string | null): { mission: string; priorities: string } {
  const own = {
    mission: line(project.mission, TEXT_MAX),
    priorities: project.priorities.map((one) => line(one)).join("; "),
  };
  if (project.file === "") return own;
  const path = isAbsolute(project.file) ? project.file : workspace === null ? null : join(workspace, project.file);
  if (path === null || !existsSync(path)) return own;
  const text = readTrustedFile(path);
  if (typeof text !== "string") throw new TemplateError(`project.file: ${path} cannot be read`);
  const sections = sectionsOf(text);
  const find = (name: string): string | undefined =>
    [...sections].find(([heading]) => heading.toLowerCase().startsWith(name))?.[1];
  return {
    mission: line(find("mission") ?? (sections.size === 0 ? text : own.mission), TEXT_MAX),
    priorities: line(find("priorit") ?? own.priorities, TEXT_MAX),
  };
}

/** A composer takes these at the start of a line as its own commands. */
const COMMAND = /^[/!#@?]/;

/** One line of ASCII with the mark, as `effects/keys/texts.ts` requires. Null if the file has none that can be typed. */
export function nudgeLine(
  { problem, say, task }: Pick<Action, "problem" | "say" | "task">,
  config: string,
): string | null {
  try {
    const sections = sectionsOf(readPrompt("nudge", config).text);
    // A question to an agent that rouse could not observe stays a question.
    const names = say === "are_you_there" ? [say] : [problem, say ?? "continue"];
    const text = line(names.map((name) => sections.get(name)).find((one) => one !== undefined) ?? "", 400);
    if (text === "" || COMMAND.test(text) || !/^[\x20-\x7e]+$/.test(text)) return null;
    return `${text.replaceAll(ROUSE_MARK, "").trim()}${task === undefined ? "" : ` The task was: ${task}`} ${ROUSE_MARK}`;
  } catch {
    return null;
  }
}
