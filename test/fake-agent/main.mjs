/**
 * A scripted agent: a real program that shows what Claude Code shows, and does what its script says.
 *
 *   node main.mjs SCRIPT.json     {"speed": 1, "transcript": PATH, "log": PATH, "session": ID, "steps": [{"do": "idle"}, …]}
 *
 * Called with `--resume`, it does the steps that the script has as `resumed`. After its last step it stays as it is, at its composer or in its turn, until it is ended.
 */
import { readFileSync } from "node:fs";
import { Agent } from "./agent.mjs";
import { STEPS } from "./steps.mjs";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));
if (process.argv.includes("--resume") && script.resumed) script.steps = script.resumed;
const unknown = script.steps.find((step) => !Object.hasOwn(STEPS, step.do));
if (unknown) throw new Error(`the script names a step that there is not: ${unknown.do}`);
process.stdout.write("\u001b[2J\u001b[H");
const agent = new Agent(script);
for (const step of script.steps) await STEPS[step.do](agent, step);
