/** docs/cli.md, written from the help of the commands. `npm run docs:cli` runs it; a test compares. */
import { GROUPS } from "./commands.js";
import { renderHelp } from "./render-help.js";

const WIDTH = 100;

const HEAD = `# The command line

This page holds the help of every command, as \`rouse COMMAND --help\` prints it. [Command details](cli-details.md) explains the status
line, the demo, recordings, the plugin for Claude Code, and what happens in case of an error.

Commands that list or show something have \`--json\` for programs. Text that comes from an agent is printed without control characters.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failure, or a problem was found (\`health\`, \`check\`, \`doctor\`, \`eval --strict\`, \`config show\`) |
| 2 | usage error |
| 69 | no daemon is running, or it does not answer |
| 75 | try again: the daemon is starting, or another action is in progress |
| 126, 127 | \`run\`, \`spawn\`: the program cannot be executed, or is not found |
| 130 | ended by Ctrl-C; other signals give 128 + their number |

\`rouse run\` exits as its program does. \`rouse hook\` always exits 0, so that it never disturbs an agent. \`rouse demo\` and
\`rouse up --foreground\` exit 0 after Ctrl-C, because that is their normal end.
`;

export async function cliReference(): Promise<string> {
  const { help } = await renderHelp(WIDTH);
  const words = Object.keys(help);
  const section = (command: string): string =>
    words
      .filter((name) => name === command || name.startsWith(`${command} `))
      .map((name) => `\n### rouse ${name}\n\n\`\`\`text\n${(help[name] ?? "").trimEnd()}\n\`\`\`\n`)
      .join("");
  const groups = Object.entries(GROUPS).map(
    ([title, commands]) => `\n## ${title.replace(/:$/, "")}\n${commands.map(section).join("")}`,
  );
  return HEAD + groups.join("");
}
