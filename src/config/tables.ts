/** Tables with names of the user's own in the user's file, such as `[channels.NAME]` and `[work.sources.NAME]`. */
import { parse } from "smol-toml";
import { isTable, readTrustedFile } from "./file.js";
import { positionsIn } from "./positions.js";

export const OWN_TABLES = ["channels", "presets", "projects", "agents", "work.sources"] as const;

interface FoundTables {
  tables: Record<string, unknown>;
  positionOf: ReturnType<typeof positionsIn>;
}

/** An unreadable file is reported by `loadConfig`, which reads it too. */
export function tablesOf(path: string, section: (typeof OWN_TABLES)[number]): FoundTables {
  const nothing: FoundTables = { tables: {}, positionOf: () => undefined };
  const found = readTrustedFile(path);
  if (typeof found !== "string") return nothing;
  try {
    const tables = section.split(".").reduce<unknown>((at, name) => (isTable(at) ? at[name] : undefined), parse(found));
    if (!isTable(tables)) return nothing;
    // The settings of `[health]` in the layout of an earlier tool.
    if (section === "agents") delete tables.health;
    return { tables, positionOf: positionsIn(found) };
  } catch {
    return nothing;
  }
}

/** False while an editor has written half of it. A missing file has no tables. */
export function isParsable(path: string): boolean {
  const found = readTrustedFile(path);
  if (found === null) return true;
  if (typeof found !== "string") return false;
  try {
    parse(found);
    return true;
  } catch {
    return false;
  }
}
