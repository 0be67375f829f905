/**
 * The scripted agent of the demo, as tests use it: a real program that shows what Claude Code shows, and does what its
 * script says.
 *
 *   node main.mjs SCRIPT.json     {"speed": 1, "transcript": PATH, "log": PATH, "session": ID, "steps": [{"do": "idle"}, …]}
 *
 * Called with `--resume`, it does the steps that the script has as `resumed`. After its last step it stays as it is, at
 * its composer or in its turn, until it is ended.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { Agent } from "../../dist/demo/agent/agent.js";
import { playSteps } from "../../dist/demo/agent/steps.js";
import { STEPS } from "./steps.mjs";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));
const isResumed = process.argv.includes("--resume") && script.resumed !== undefined;
if (script.log)
  appendFileSync(`${script.log}.starts`, `${JSON.stringify({ at: Date.now(), pid: process.pid, isResumed })}\n`);
await playSteps(new Agent(script), isResumed ? script.resumed : script.steps, STEPS);
