/** Steps of the scripted agent that only tests need, besides those of the demo (`src/demo/agent/steps.ts`). */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STEPS as SHARED } from "../../dist/demo/agent/steps.js";

const coloured = (code) => (text) => `\u001b[${code}m${text}\u001b[0m`;
const red = coloured("38;2;255;107;128");
const grey = coloured("38;2;153;153;153");
const green = coloured("48;2;34;92;43");

/** The retry schedule: one row that counts down; it stays at the last attempt. */
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
  billing: "Credit balance is too low",
  policy_refusal: "API Error: this request appears to violate our Usage Policy.",
  poisoned_context: "API Error: 400 messages.3: `tool_use` ids were found without `tool_result` blocks",
};

/** The client gives up: its own red row, and the turn ends. */
async function fail(agent, { why = "api", text = FAILURES[why] }) {
  agent.begin();
  await agent.rest(1500);
  agent.say("● Read(src/parse.ts)", red(`  ⎿  ${text}`));
  agent.end();
}

/** A prompt from its command line: it is in the transcript, and no user types it. */
async function asked(agent, { text = "mend the parser" }) {
  agent.screen.isUp = true;
  agent.say(`❯ ${text}`);
  agent.transcript.prompt(text);
}

/** The usage limit in the program's own words, with or without a time. */
async function limited(agent, { text = "You've hit your session limit" }) {
  agent.begin();
  await agent.rest(1500);
  agent.say("● Read(src/parse.ts)", red(`  ⎿  ${text}`));
  agent.end();
}

/** The program waits for the end of the limit and continues by itself. */
async function outwaits(agent, { seconds = 8 }) {
  agent.begin();
  await agent.rest(1500);
  agent.say(grey(`● Usage limit reached · continuing automatically in ${seconds}s`));
  agent.end();
  await agent.rest(seconds * 1000);
}

/** Starts an agent in the background. */
async function launch(agent) {
  agent.begin();
  agent.launched = agent.transcript.calls("Agent", { description: "Run the tests", prompt: "Run the tests" });
  const block = { type: "tool_result", tool_use_id: agent.launched, content: "Async agent launched successfully." };
  const toolUseResult = { isAsync: true, status: "async_launched", agentId: "a1" };
  agent.transcript.write({ type: "user", message: { role: "user", content: [block] }, toolUseResult });
}

/** That agent ends while this one is at its prompt, and its notice is not picked up until it is taken out of the queue. */
async function queued(agent, { operation = "enqueue" }) {
  const content = `<task-notification>\n<tool-use-id>${agent.launched}</tool-use-id>\n<status>completed</status>\n</task-notification>`;
  agent.transcript.write({ type: "queue-operation", operation, content });
}

/** Rounds without end until Esc. */
async function circling(agent, everyMs, round) {
  agent.screen.isUp = true;
  agent.begin();
  let isInterrupted = false;
  const going = async () => {
    for (let n = 0; !isInterrupted; n++) {
      await round(n);
      agent.tokens += 40;
      await agent.rest(everyMs);
    }
  };
  isInterrupted = await agent.untilInterrupted(going());
}

/** Different commands, always the same error. */
const errors = (agent, { everyMs = 150 }) =>
  circling(agent, everyMs, (n) => {
    const id = agent.transcript.calls("Bash", { command: `make ${WORDS[n % WORDS.length]}${n}` });
    agent.transcript.returns(id, "cc: fatal error: no input files", true);
  });

/** Endless output without a result. */
const burn = (agent, { everyMs = 500, tokens = 300 }) =>
  circling(agent, everyMs, (n) => {
    const text = Array.from({ length: 12 }, (_, i) => WORDS[(n * 7 + i * i + n * i) % WORDS.length]).join(" ");
    const content = [{ type: "thinking", thinking: text }];
    const usage = { input_tokens: 10, output_tokens: tokens };
    const message = { id: `msg_burn_${n}`, role: "assistant", model: "fake", content, stop_reason: null, usage };
    agent.transcript.write({ type: "assistant", message });
  });

const WORDS = "parser lexer token tree branch leaf root scope frame stack heap queue graph edge node path walk".split(
  " ",
);

/** No further byte. */
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

/** Children with their own children, in this group and in a separate one, which ignore SIGTERM. */
async function fork(_agent, { count = 2, seconds = 600 }) {
  for (let n = 0; n < count; n++) {
    const script = `trap '' TERM; sleep ${seconds} & wait; wait`;
    spawn("sh", ["-c", script], { stdio: "ignore", detached: n % 2 === 1 }).unref();
  }
}

/** A detached process without a parent, group or session in the agent's family; with a child, or without. */
async function detach(_agent, { works = true, seconds = 60 }) {
  const script = works ? `sleep ${seconds} & wait` : `exec sleep ${seconds}`;
  spawn("sh", ["-c", 'setsid sh -c "$1" >/dev/null 2>&1 </dev/null &', "sh", script], { stdio: "ignore" });
}

/** The program's own file: its status, and its conversation; while it loads a resumed one, still a new one. */
async function announce(_agent, { status = "idle", isNew = false }) {
  const folder = join(process.env.CLAUDE_CONFIG_DIR, "sessions");
  mkdirSync(folder, { recursive: true });
  const sessionId = isNew ? randomUUID() : JSON.parse(readFileSync(process.argv[2], "utf8")).session;
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ sessionId, cwd: process.cwd(), status }));
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

/** Rows of a problem in places where they mean nothing: in a diff, in a tool's output, or in a message. */
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

/** The program's own status by OSC 7501, many times a second: many small signals. */
async function pulse(agent, { perSecond = 100, state = "working" }) {
  agent.screen.isUp = true;
  agent.begin();
  setInterval(() => process.stdout.write(`\u001b]7501;state=${state}:app=fake\u001b\\`), 1000 / perSecond);
}

/** Its composer is drawn, but all keys are lost for a while. */
async function loses(agent, { ms = 3000 }) {
  agent.screen.isUp = true;
  agent.takes = () => "";
  await agent.rest(ms);
  agent.takes = null;
}

/** The next Enters have no effect. */
async function swallows(agent, { times = 1 }) {
  let left = times;
  agent.takes = (keys) => (keys.includes("\r") && left-- > 0 ? keys.replaceAll("\r", "") : keys);
}

/** A text of the user is in the composer. */
async function drafts(agent, { text = "my own thoughts" }) {
  agent.screen.isUp = true;
  agent.screen.draft = text;
}

export const STEPS = {
  ...SHARED,
  loses,
  swallows,
  drafts,
  asked,
  limited,
  outwaits,
  launch,
  queued,
  errors,
  burn,
  retry,
  fail,
  freeze,
  ignore,
  fork,
  detach,
  announce,
  exit,
  lie,
  pulse,
};
