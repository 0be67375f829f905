/**
 * The program that plays an agent of the demo, called as Claude Code is: `claude --session-id ID PROMPT`, and
 * `claude --resume ID` to take the conversation up again. Which of the cast it is, its folder says. The name of
 * this file is what a look at the processes knows the program by.
 */
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { CAST } from "../cast.js";
import { Agent } from "./agent.js";
import { playSteps } from "./steps.js";

/** Whoever started it may have been killed: then it goes by itself. */
const LIFE_MS = 60 * 60_000;

const { values, positionals } = parseArgs({
  options: { "session-id": { type: "string" }, resume: { type: "string" } },
  allowPositionals: true,
});
const session = values.resume ?? values["session-id"];
const config = process.env.CLAUDE_CONFIG_DIR;
const member = CAST.find(({ name }) => name === basename(process.cwd()));
if (!session || !config || !member) throw new Error("this program plays in rouse demo, and only there");

setTimeout(() => process.exit(0), LIFE_MS);
const transcript = join(config, "projects", process.cwd().replace(/[^a-zA-Z0-9]/g, "-"), `${session}.jsonl`);
const agent = new Agent({ transcript, session });
for (const { role, text } of agent.transcript.said) agent.say(role === "user" ? `❯ ${text}` : `● ${text}`);
for (const prompt of positionals) agent.submit(prompt);
await playSteps(agent, (values.resume === undefined ? null : member.resumed) ?? member.steps);
