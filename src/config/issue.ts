import type { Position } from "./positions.js";

export interface ConfigIssue {
  /** error: a setting is not in effect. refused: a project file asked for less strictness. notice: information only. */
  level: "error" | "refused" | "notice";
  /** The file, variable or flag. */
  where: string;
  position?: Position | undefined;
  text: string;
}

export function issueText({ where, position, text }: ConfigIssue): string {
  return `${where}${position ? `:${position.line}:${position.column}` : ""}: ${text}`;
}
