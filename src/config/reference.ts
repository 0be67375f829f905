/** docs/configuration.md, written from the table of keys. `npm run docs:config` runs it; a test compares. */
import type { ConfigKey, ProjectRule } from "./key.js";
import { KEYS } from "./keys.js";

const PROJECT: Readonly<Record<ProjectRule, string>> = {
  lower: "may lower it",
  budget: "may lower it, or set one",
  higher: "may raise it",
  on: "may turn it on",
  off: "may turn it off",
  add: "may add to it",
  never: "–",
};

const HEAD = `# Configuration

\`rouse init\` creates \`~/.config/rouse/config.toml\` (or \`$ROUSE_HOME/config/config.toml\`) with every key explained. Values come from the defaults,
then your file, then \`.rouse.toml\` files from the root down to the agent's folder, then variables named \`ROUSE_SECTION_KEY\`, then \`--set\` of \`rouse config show\`. A project's
\`.rouse.toml\` can only make things stricter; the last column says how. \`rouse config show --origin\` prints what is in effect and where it comes
from, \`rouse config schema\` the JSON Schema. An unknown key is named and ignored. Changed
thresholds apply within two minutes, also to running agents; channels, presets, sources, \`[alerts]\`, \`[daemon]\` and \`[journal]\` when the daemon restarts; \`[mcp]\` when \`rouse mcp\` restarts.

A botbox project's \`.botbox.json\` is read too: its block \`agents.health\` counts like \`[health]\` of a \`.rouse.toml\` in the same folder, so it can
only make things stricter. To use a looser value, set it in your own file; \`rouse init\` in the project's folder copies the whole block there.

Channels have their own tables; see [messages and alerts](alerts.md). Policies are files of their own; see [acting](acting.md).
Presets have their own tables too; see [for orchestrators](orchestrators.md#presets).
\`[projects.NAME]\` has one key, \`check\`: the command that verifies the tasks of this project, instead of \`[work] check\`; \`[]\` for none. Only your own file
counts.
Sources of work are tables \`[work.sources.NAME]\`; see [tasks](work.md#work-from-elsewhere).
`;

export function configReference(): string {
  const sections = Object.entries(KEYS as Readonly<Record<string, Readonly<Record<string, ConfigKey>>>>);
  return `${HEAD}${sections.map(([name, keys]) => section(name, keys)).join("")}`;
}

function section(name: string, keys: Readonly<Record<string, ConfigKey>>): string {
  const rows = Object.entries(keys).map(
    ([key, { default: value, description, project, variable }]) =>
      `| \`${key}\` | \`${cell(JSON.stringify(value))}\` | ${cell(description)}${variable === undefined ? "" : ` Also set by \`${variable}\`.`} | ${PROJECT[project]} |\n`,
  );
  return `\n## \`[${name}]\`\n\n| key | default | meaning | project file |\n|---|---|---|---|\n${rows.join("")}`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
