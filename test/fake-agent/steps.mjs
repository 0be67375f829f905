/**
 * Every step that a script may name, each with its own fields. Times are in milliseconds and scaled by `speed`; a step
 * that is given none lasts until somebody presses Enter, so that a test decides how long a state is held.
 */
import { spawn } from "node:child_process";
import { green, grey, red } from "./screen.mjs";

const RULE = "─".repeat(60);

/** The program starts: its banner, and nothing to type into yet. */
async function boot(agent, { ms }) {
  agent.screen.reply.push(" ▐▛███▛█   Claude Code v2.1.325", "▝▜██████▀  Fake 1 · scripted", "");
  await agent.rest(ms);
}

/** At the composer until a human submits something. */
async function idle(agent, { ms }) {
  agent.screen.isUp = true;
  if (ms !== undefined) return agent.rest(ms);
  await agent.prompt();
}

/** Spinner and counter move, no text comes yet. */
async function think(agent, { ms = 1000 }) {
  agent.screen.isUp = true;
  agent.begin("Thinking");
  for (let left = ms; left > 0; left -= 200) {
    agent.tokens += 7;
    await agent.rest(Math.min(200, left));
  }
}

/** Messages that grow word by word: one in `ms`, else one after the other. */
async function stream(agent, { text = "I look at the code and mend what is broken.", ms }) {
  agent.screen.isUp = true;
  agent.begin();
  let isLast = ms !== undefined;
  if (!isLast) void agent.enter().then(() => (isLast = true));
  for (let message = 1; ; message++) {
    const place = agent.screen.reply.push("● ") - 1;
    const words = `${text} (${message})`.split(" ");
    for (const word of words) {
      agent.screen.reply[place] += `${word} `;
      agent.tokens += 2;
      await agent.rest((ms ?? 1500) / words.length);
    }
    agent.screen.reply.push("");
    if (isLast) return;
  }
}

/** A real child process, shown as a running shell command until it ends. */
async function tool(agent, { command = ["sleep", "600"] }) {
  agent.begin();
  const shown = command.join(" ");
  const id = agent.transcript.calls("Bash", { command: shown });
  const place = agent.screen.reply.push("● Running 1 shell command…", `  ⎿  $ ${shown}`, "") - 2;
  const startedAt = Date.now();
  const clock = setInterval(() => {
    agent.screen.reply[place] = `  ⎿  $ ${shown} (${Math.floor((Date.now() - startedAt) / 1000)}s · timeout 20m)`;
  }, 500);
  const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (bytes) => (output += bytes));
  const code = await new Promise((resolve) => child.once("close", resolve).once("error", () => resolve(127)));
  clearInterval(clock);
  agent.screen.reply[place - 1] = `● Bash(${shown})`;
  agent.screen.reply[place] = `  ⎿  ${output.split("\n")[0] || "(no output)"}`;
  agent.transcript.returns(id, output, code !== 0);
}

/** A permission dialog in the composer's place until Enter. What arrived before it is taken first, as not meant for it. */
async function ask(agent, { command = "git push", options = ["Yes", "No"] }) {
  agent.begin();
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  agent.screen.dialog = [
    RULE,
    " Bash command",
    "",
    `   ${command}`,
    "",
    " This command requires approval",
    " Do you want to proceed?",
    ...options.map((option, i) => ` ${i === 0 ? "❯" : " "} ${i + 1}. ${option}`),
    "",
    " Esc to cancel · Tab to amend",
  ];
  agent.screen.draw();
  agent.screen.dialogAt = performance.now();
  await agent.enter();
  agent.screen.dialog = null;
}

/** The turn ends with this last message. A question is a text that asks. */
async function finish(agent, { text = "Done: the parser is mended and all tests pass." }) {
  agent.begin();
  await agent.rest(1000);
  agent.say(`● ${text}`);
  agent.transcript.says(text);
  await agent.rest(500);
  agent.end();
}

/** The same call with the same result, round after round; only the transcript tells. */
async function loop(agent, { rounds = 12, everyMs = 100, input = { file_path: "src/parse.ts" }, result = "line 1" }) {
  agent.begin();
  for (let round = 0; round < rounds; round++) {
    const id = agent.transcript.calls("Read", input);
    await agent.rest(everyMs);
    agent.transcript.returns(id, result);
    agent.tokens += 40;
  }
}

/** The usage limit, with its reset time in `minutes` from now. */
async function limit(agent, { minutes = 125 }) {
  agent.begin();
  await agent.rest(1500);
  const at = new Date(Date.now() + minutes * 60_000);
  const hour = at.getUTCHours();
  const clock = `${hour % 12 || 12}:${String(at.getUTCMinutes()).padStart(2, "0")}${hour < 12 ? "am" : "pm"}`;
  agent.say("● Read(src/parse.ts)", red(`  ⎿  You've hit your 5-hour limit · resets ${clock} (UTC)`));
  agent.end();
}

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

/** Spinner and clock go on, and no news comes; Esc ends it. */
async function hang(agent, { ms }) {
  agent.screen.isUp = true;
  agent.begin();
  await agent.untilInterrupted(agent.rest(ms));
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

async function crash() {
  process.kill(process.pid, "SIGKILL");
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

export const STEPS = {
  boot,
  idle,
  think,
  stream,
  tool,
  ask,
  finish,
  loop,
  limit,
  retry,
  fail,
  hang,
  freeze,
  ignore,
  fork,
  detach,
  crash,
  exit,
  lie,
  pulse,
};
