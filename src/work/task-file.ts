/**
 * A task from a text: Markdown with a checklist, or JSON. Pure. A file can come from anywhere, so it names no check: that is
 * typed by the user (`--check`) or stands in the user's own configuration.
 */
import { sanitize } from "../core/text/sanitize.js";
import type { NewTask } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";

/** Fields of a JSON file and of Markdown's front matter, and the fields of a task that they become. */
const FIELDS: Readonly<Record<string, keyof NewTask>> = {
  title: "title",
  description: "description",
  diagnosis: "diagnosis",
  qa_requirements: "qa",
  steps: "steps",
  project: "project",
  kind: "kind",
  stage: "stage",
  priority: "priority",
  score: "score",
  threshold: "threshold",
  cycle: "cycle",
  parent: "parent",
  tags: "tags",
  blocked_by: "blockedBy",
  workspace: "workspace",
  max_continuations: "maxContinuations",
};
const NUMBERS = new Set(["priority", "score", "threshold", "cycle", "parent", "max_continuations"]);
const LISTS = new Set(["tags", "blocked_by", "steps"]);

/** Throws `HubError`. JSON if the text starts with a brace. */
export function parseTaskText(text: string, name: string): NewTask {
  return /^\s*\{/.test(text) ? parseJson(text, name) : parseMarkdown(text, name);
}

function parseJson(text: string, name: string): NewTask {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${name} is not valid JSON: ${sanitize((error as Error).message, 200)}`);
  }
  return fieldsOf(value as Record<string, unknown>, name);
}

function fieldsOf(value: Record<string, unknown>, name: string): NewTask {
  const task: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (key === "check")
      throw invalid(`${name} sets check, which a file cannot: type it (--check), or name it in your configuration`);
    const to = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (to === undefined)
      throw invalid(
        `${name} has an unknown field ${JSON.stringify(sanitize(key, 60))}; expected ${Object.keys(FIELDS).join(", ")}`,
      );
    task[to] = field;
  }
  return task as unknown as NewTask;
}

interface Section {
  heading: string;
  lines: string[];
}

const ITEM = /^\s{0,8}(?:[-*+]|\d{1,4}[.)])\s+\[( |x|X)\]\s+(\S.*)$/;
const NUMBERED = /^\s{0,3}\d{1,4}[.)]\s+(\S.*)$/;
const FENCE = /^\s{0,3}(?:```|~~~)/;

/**
 * Title: the first `#` heading, or the first line. Steps: the checklist, else the numbered list under `## Steps`. Sections
 * `Diagnosis` and `QA requirements` fill their fields; everything else is the description. Finished items are no steps.
 */
function parseMarkdown(text: string, name: string): NewTask {
  const { front, body } = splitFront(text, name);
  const sections = sectionsOf(body);
  const steps: string[] = [];
  const finished: string[] = [];
  const hasChecklist = sections.some(({ lines }) => outsideFences(lines).some((line) => ITEM.test(line)));
  const kept = (section: Section): string => {
    const isSteps = /^(?:implementation )?steps$/i.test(section.heading);
    return mapOutsideFences(section.lines, (line) => {
      const [, mark, item] = ITEM.exec(line) ?? [];
      if (item !== undefined) {
        (mark === " " ? steps : finished).push(item.trim());
        return null;
      }
      const numbered = isSteps && !hasChecklist ? NUMBERED.exec(line)?.[1] : undefined;
      if (numbered !== undefined) steps.push(numbered.trim());
      return numbered === undefined ? line : null;
    })
      .join("\n")
      .trim();
  };
  const task: Record<string, unknown> = { ...front };
  const description: string[] = [];
  for (const section of sections) {
    const content = kept(section);
    if (/^diagnosis$/i.test(section.heading)) task.diagnosis ??= content;
    else if (/^QA(?: requirements)?$/i.test(section.heading)) task.qa ??= content;
    else if (section.heading === "" || content !== "") description.push(headed(section.heading, content));
  }
  const { title, rest } = titleOf(description.join("\n\n").trim(), task.title as string | undefined);
  if (title === "") throw invalid(`${name} has no title: start it with a line such as "# Fix the login"`);
  const done = finished.length === 0 ? "" : `Finished before:\n${finished.map((item) => `- ${item}`).join("\n")}`;
  task.title = title;
  task.description ??= [rest, done].filter((part) => part !== "").join("\n\n");
  task.steps ??= steps;
  return task as unknown as NewTask;
}

const headed = (heading: string, content: string): string =>
  heading === "" || /^(?:implementation )?steps$/i.test(heading) ? content : `## ${heading}\n\n${content}`;

function titleOf(description: string, given: string | undefined): { title: string; rest: string } {
  if (given !== undefined) return { title: given, rest: description };
  const [first = "", ...more] = description.split("\n");
  return { title: first.replace(/^#{1,6}(?:\s+|$)/, "").trim(), rest: more.join("\n").trim() };
}

/** By `##` headings; the part before the first has an empty heading. */
function sectionsOf(body: string): Section[] {
  const sections: Section[] = [{ heading: "", lines: [] }];
  let isFenced = false;
  for (const line of body.split("\n")) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? undefined : /^##\s+(.+?)\s*#*\s*$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** `null` removes a line. Lines of code stay. */
function mapOutsideFences(lines: readonly string[], of: (line: string) => string | null): string[] {
  let isFenced = false;
  return lines.flatMap((line) => {
    if (FENCE.test(line)) isFenced = !isFenced;
    if (isFenced || FENCE.test(line)) return [line];
    const mapped = of(line);
    return mapped === null ? [] : [mapped];
  });
}

const outsideFences = (lines: readonly string[]): string[] => {
  const outside: string[] = [];
  mapOutsideFences(lines, (line) => {
    outside.push(line);
    return line;
  });
  return outside;
};

/** `key: value` lines between two lines of three dashes at the start. */
function splitFront(text: string, name: string): { front: Partial<NewTask>; body: string } {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const [, block, body] = /^---\n([\s\S]*?)\n---(?:\n|$)([\s\S]*)$/.exec(plain) ?? [];
  if (block === undefined || body === undefined) return { front: {}, body: plain };
  const fields: Record<string, unknown> = {};
  for (const line of block.split("\n")) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const [, key, value] = /^([a-z_]+)\s*:\s*(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined)
      throw invalid(`${name}: ${JSON.stringify(sanitize(line, 60))} is no "field: value" line of the front matter`);
    fields[key] = fieldValue(key, value.trim());
  }
  return { front: fieldsOf(fields, name), body };
}

function fieldValue(key: string, value: string): unknown {
  const bare = value.replace(/^(["'])(.*)\1$/, "$2");
  if (LISTS.has(key)) {
    const parts = bare.replace(/^\[(.*)\]$/, "$1").split(",");
    const texts = parts.map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2")).filter((part) => part !== "");
    return key === "blocked_by" ? texts.map(Number) : texts;
  }
  return NUMBERS.has(key) ? Number(bare) : bare;
}

const invalid = (message: string): HubError => new HubError("invalid", message);
