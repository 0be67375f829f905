/** docs/configuration.md, written from the table of keys. `npm run docs:config` runs it; a test compares. */
import type { ConfigKey, ProjectRule } from "./key.js";
import { KEY_BY_NAME, KEYS } from "./keys.js";

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

\`rouse init\` creates \`~/.config/rouse/config.toml\` (or \`$ROUSE_HOME/config/config.toml\`) with all ${KEY_BY_NAME.size} keys and what they mean, as comments. Set
only what you want to change. \`rouse config show --origin\` prints what is in effect and where it comes from. A later source
replaces an earlier one:

1. the defaults,
2. your file,
3. \`.rouse.toml\` files from the root down to the agent's folder, and a botbox project's \`.botbox.json\`. They can only make things stricter; the last column says how,
4. variables named \`ROUSE_SECTION_KEY\`, such as \`ROUSE_ALERTS_QUIET_HOURS\`,
5. \`--set\` of \`rouse config show\`, to try a value.

Unknown keys and wrong values are reported. An unknown key is ignored; for a wrong value the default is used. \`rouse config schema\` prints the JSON Schema for editors.

| a change of | takes effect |
|---|---|
| channels | within a second |
| numbers in \`[watchdog]\`, \`[health]\`, \`[checkpoints]\`, \`[activity]\`, \`[detectors]\`, \`[spend]\`; policies | within two minutes, also for running agents |
| \`[presets]\`, \`[projects]\`, \`[agents]\`, the check of \`[work]\` | with their next use |
| \`[mcp]\` | when the MCP client starts \`rouse mcp\` again |
| everything else | when the daemon restarts (\`rouse down\`, \`rouse up\`) |

Of \`.botbox.json\` the block \`agents.health\` counts, like \`[health]\` of a \`.rouse.toml\` in the same folder. To use a looser value, set it in your own file;
\`rouse init\` in the project's folder copies the whole block there.

Tables that you name yourself, in your own file only:

| table | for |
|---|---|
| \`[channels.NAME]\` | [alerts](alerts.md#alerts-to-users) |
| \`[presets.NAME]\` | [programs with their model](orchestrators.md#presets), for \`rouse spawn --preset\` |
| \`[agents.NAME]\` | [agents that rouse starts for tasks](work.md#continuations) |
| \`[work.sources.NAME]\` | [trackers and queues that tasks come from](work.md#work-from-elsewhere) |
| \`[projects.NAME]\` | one key, \`check\`: the command that verifies the tasks of this project, instead of \`[work] check\`; \`[]\` for none |

[Policies](acting.md#a-policy-of-your-own) and [profiles](add-a-program.md) are files of their own.
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
