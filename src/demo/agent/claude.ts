/**
 * The program that plays an agent of the demo, started like Claude Code: `claude --session-id ID PROMPT`, and `claude
 * --resume ID` to resume the conversation. Its folder decides which member of the cast it is. The name of this file
 * identifies the program in the process table.
 */
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { CAST } from "../cast.js";
import { Agent } from "./agent.js";
import { playSteps } from "./steps.js";

/** Its starter may have been killed: then it ends by itself. */
const LIFE_MS = 60 * 60_000;

const { values, positionals } = parseArgs({
  options: { "session-id": { type: "string" }, resume: { type: "string" } },
  allowPositionals: true,
});
const session = values.resume ?? values["session-id"];
const config = process.env.CLAUDE_CONFIG_DIR;
const member = CAST.find(({ name }) => name === basename(process.cwd()));
if (!session || !config || !member) throw new Error("only `rouse demo` runs this program");

setTimeout(() => process.exit(0), LIFE_MS);
const transcript = join(config, "projects", process.cwd().replace(/[^a-zA-Z0-9]/g, "-"), `${session}.jsonl`);
const agent = new Agent({ transcript, session });
for (const { role, text } of agent.transcript.said) agent.say(role === "user" ? `❯ ${text}` : `● ${text}`);
for (const prompt of positionals) agent.submit(prompt);
await playSteps(agent, (values.resume === undefined ? null : member.resumed) ?? member.steps);
