/**
 * Templates of prompts: `{{field}}` inserts a value, `{{#field}}…{{/field}}` keeps a part only if the value is not empty.
 * A value is inserted as it is and never read as a template.
 */
export type Fields = Readonly<Record<string, string>>;

export class TemplateError extends Error {}

const TAG = /\{\{([#/]?)([^{}\n]*)\}\}/g;

interface Part {
  kind: "text" | "value" | "open" | "close";
  text: string;
  line: number;
}

/** Throws `TemplateError` for an unknown field or an unbalanced part. */
export function render(name: string, template: string, fields: Fields): string {
  const out: string[] = [];
  const open: { field: string; line: number; isKept: boolean }[] = [];
  for (const { kind, text, line } of partsOf(template)) {
    const isKept = open.at(-1)?.isKept ?? true;
    if (kind === "text") {
      if (isKept) out.push(text);
      continue;
    }
    if (!Object.hasOwn(fields, text))
      throw new TemplateError(
        `prompt ${name}, line ${line}: unknown field ${JSON.stringify(text.slice(0, 60))}; known fields: ${Object.keys(fields).sort().join(", ")}`,
      );
    const value = fields[text] ?? "";
    if (kind === "value" && isKept) out.push(value);
    if (kind === "open") open.push({ field: text, line, isKept: isKept && value.trim() !== "" });
    if (kind === "close") {
      const last = open.pop();
      if (last?.field !== text)
        throw new TemplateError(`prompt ${name}, line ${line}: {{/${text}}} closes nothing that is open`);
    }
  }
  const [left] = open;
  if (left) throw new TemplateError(`prompt ${name}, line ${left.line}: {{#${left.field}}} is not closed`);
  return out
    .join("")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function* partsOf(template: string): Generator<Part> {
  let at = 0;
  let line = 1;
  const lineAfter = (text: string): number => line + (text.match(/\n/g)?.length ?? 0);
  for (const match of template.matchAll(TAG)) {
    const text = template.slice(at, match.index);
    yield { kind: "text", text, line };
    line = lineAfter(text);
    const [whole, sign = "", field = ""] = match;
    const kind = sign === "#" ? "open" : sign === "/" ? "close" : "value";
    yield { kind, text: field.trim(), line };
    at = match.index + whole.length;
    // The line end after a tag that stands alone belongs to the tag.
    if (kind !== "value" && template[at] === "\n" && (text === "" || text.endsWith("\n"))) {
      at++;
      line++;
    }
  }
  yield { kind: "text", text: template.slice(at), line };
}

/** The sections of a file with `## NAME` headings; text before the first one is a comment. */
export function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const block of text.split(/^## /m).slice(1)) {
    const end = block.indexOf("\n");
    const name = (end < 0 ? block : block.slice(0, end)).trim();
    sections.set(name, end < 0 ? "" : block.slice(end + 1).trim());
  }
  return sections;
}
