/** JSON for documentation: objects on several lines, but a suggestion or a short list on one. */

const LINE_MAX = 100;

export function docsJson(value: unknown, indent = ""): string {
  const line = onOneLine(value);
  const isFlat = typeof value !== "object" || value === null || Array.isArray(value);
  if (isFlat && line.length <= LINE_MAX) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((one) => `${inner}${onOneLine(one)}`);
    return `[\n${items.join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return line;
  const fields = Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${docsJson(one, inner)}`);
  return `{\n${fields.join(",\n")}\n${indent}}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${onOneLine(one)}`);
  return `{${fields.join(", ")}}`;
}
