/** The states of a task for docs/work.md, drawn from their table. `npm run docs:config` writes them; a test compares. */
import { TASK_TRANSITIONS, type TaskTransition } from "./task-states.js";

export function taskReference(): string {
  const rows = TASK_TRANSITIONS.map(
    ({ operation, from, to, by, description }: TaskTransition) =>
      `| \`${operation}\` | ${from.join(", ")} | ${to} | ${by.join(", ")} | ${description} |\n`,
  );
  return `\`\`\`mermaid
stateDiagram-v2
  [*] --> proposed
  [*] --> pending
${arrows()}\`\`\`

| operation | from | to | by | meaning |
|---|---|---|---|---|
${rows.join("")}`;
}

/** One arrow per pair of states, with all operations that lead along it. */
function arrows(): string {
  const labels = new Map<string, string[]>();
  for (const { operation, from, to } of TASK_TRANSITIONS)
    for (const status of from) {
      const arrow = `  ${status} --> ${to}`;
      labels.set(arrow, [...(labels.get(arrow) ?? []), operation]);
    }
  return [...labels].map(([arrow, operations]) => `${arrow}: ${operations.join(", ")}\n`).join("");
}
