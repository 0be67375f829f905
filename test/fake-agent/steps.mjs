/** What only tests need of the scripted agent, beside the steps that the demo has (`src/demo/agent/steps.ts`). */
import { spawn } from "node:child_process";
import { STEPS as SHARED } from "../../dist/demo/agent/steps.js";

const coloured = (code) => (text) => `\u001b[${code}m${text}\u001b[0m`;
const red = coloured("38;2;255;107;128");
const grey = coloured("38;2;153;153;153");
const green = coloured("48;2;34;92;43");

/** The ladder of tries, one row that counts down; it stays at the last one. */
async function retry(agent, { tries = 3, everyMs = 2000, text = "529 Overloaded", max = 10, ms }) {
  agent.begin();
  for (let attempt = 1; attempt <= tries; attempt++) {
    const nextAt = Date.now() + everyMs;
    const left = () => Math.max(0, Math.ceil((nextAt - Date.now()) / 1000));
    agent.screen.status = () => `${text} · Retrying in ${left()}s · attempt ${attempt}/${max}`;
    await agent.rest(everyMs);
  }
  await agent.rest(ms);
}

const FAILURES = {
  api: "API Error: Repeated 529 Overloaded errors. The API is at capacity.",
  auth: "Please run /login · API Error: 401 OAuth token has expired.",
};

/** The client gives up: its own red row, and the turn is over. */
async function fail(agent, { why = "api", text = FAILURES[why] }) {
  agent.begin();
  await agent.rest(1500);
  agent.say("● Read(src/parse.ts)", red(`  ⎿  ${text}`));
  agent.end();
}

/** Not one byte more. */
async function freeze(agent, { ms }) {
  agent.begin();
  agent.screen.draw();
  agent.screen.isFrozen = true;
  await agent.rest(ms);
  agent.screen.isFrozen = false;
}

async function ignore(_agent, { signals = ["SIGTERM"] }) {
  for (const signal of signals) process.on(signal, () => {});
}

/** Children with children of their own, in this group and in one of their own, which heed no SIGTERM. */
async function fork(_agent, { count = 2, seconds = 600 }) {
  for (let n = 0; n < count; n++) {
    const script = `trap '' TERM; sleep ${seconds} & wait; wait`;
    spawn("sh", ["-c", script], { stdio: "ignore", detached: n % 2 === 1 }).unref();
  }
}

/** A process that left the agent's family, with no parent, group or session of its own there; with a child, or without. */
async function detach(_agent, { works = true, seconds = 60 }) {
  const script = works ? `sleep ${seconds} & wait` : `exec sleep ${seconds}`;
  spawn("sh", ["-c", 'setsid sh -c "$1" >/dev/null 2>&1 </dev/null &', "sh", script], { stdio: "ignore" });
}

async function exit(_agent, { code = 0 }) {
  process.exit(code);
}

const DIALOG = [
  "Do you want to proceed?",
  "❯ 1. Yes",
  "  2. No",
  "",
  "Esc to cancel · Tab to amend",
  "API Error: 401 Please run /login",
  "You've hit your 5-hour limit · resets 3am (UTC)",
];

/** Rows of trouble where they mean nothing: in a diff, in what a tool printed, or in a message. */
async function lie(agent, { place = "diff", ms = 2500 }) {
  agent.begin();
  const dressed = {
    diff: ["● Update(docs/screens.md)", ...DIALOG.map((row, i) => green(`${String(i + 1).padStart(7)} +${row}`))],
    output: ["● Bash(cat docs/screens.txt)", ...DIALOG.map((row, i) => `  ${i === 0 ? "⎿" : " "}  ${row}`)],
    message: ["● The screen shows this:", "", ...DIALOG.map((row) => `    ${row}`), grey("  (end of the file)")],
  };
  agent.say(...dressed[place]);
  await agent.rest(ms);
}

/** The program's own status by OSC 7501, so many times a second: many small signals. */
async function pulse(agent, { perSecond = 100, state = "working" }) {
  agent.screen.isUp = true;
  agent.begin();
  setInterval(() => process.stdout.write(`\u001b]7501;state=${state}:app=fake\u001b\\`), 1000 / perSecond);
}

export const STEPS = { ...SHARED, retry, fail, freeze, ignore, fork, detach, exit, lie, pulse };
