/**
 * The steps of a script, each with its own fields. Times are in milliseconds and scaled by `speed`; a step without one
 * lasts until Enter is pressed.
 */
import { spawn } from "node:child_process";
import type { Agent } from "./agent.js";
import { redText } from "./screen.js";

export type DemoStep<Fields> = (agent: Agent, fields: Fields) => Promise<void>;

const RULE = "─".repeat(60);

/** The program starts: its banner, and no input field yet. */
const boot: DemoStep<{ ms?: number }> = async (agent, { ms }) => {
  agent.screen.reply.push(" ▐▛███▛█   Claude Code v2.1.325", "▝▜██████▀  Fake 1 · scripted", "");
  await agent.rest(ms);
};

/** At the composer until the user submits something. */
const idle: DemoStep<{ ms?: number }> = async (agent, { ms }) => {
  agent.screen.isUp = true;
  if (ms !== undefined) return agent.rest(ms);
  await agent.prompt();
};

/** Spinner and counter move, without text. */
const think: DemoStep<{ ms?: number }> = async (agent, { ms = 1000 }) => {
  agent.screen.isUp = true;
  agent.begin("Thinking");
  for (let left = ms; left > 0; left -= 200) {
    agent.tokens += 7;
    await agent.rest(Math.min(200, left));
  }
};

/** Messages that grow word by word: one in `ms`, else one after the other. */
const stream: DemoStep<{ text?: string; ms?: number }> = async (
  agent,
  { text = "I read the code and fix the failing test.", ms },
) => {
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
};

/** A real child process, shown as a running shell command until it ends; `shown` is the command on the screen. */
const tool: DemoStep<{ command?: readonly string[]; shown?: string }> = async (
  agent,
  { command = ["sleep", "600"], shown = command.join(" ") },
) => {
  agent.begin();
  const id = agent.transcript.calls("Bash", { command: shown });
  const place = agent.screen.reply.push("● Running 1 shell command…", `  ⎿  $ ${shown}`, "") - 2;
  const startedAt = Date.now();
  const clock = setInterval(() => {
    agent.screen.reply[place] = `  ⎿  $ ${shown} (${Math.floor((Date.now() - startedAt) / 1000)}s · timeout 20m)`;
  }, 500);
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve).once("error", () => resolve(127)));
  clearInterval(clock);
  agent.screen.reply[place - 1] = `● Bash(${shown})`;
  agent.screen.reply[place] = `  ⎿  ${output.split("\n")[0] || "(no output)"}`;
  agent.transcript.returns(id, output, code !== 0);
};

/** A permission dialog in the composer's place until Enter. Earlier input is consumed first, as not meant for it. */
const ask: DemoStep<{ command?: string; options?: readonly string[] }> = async (
  agent,
  { command = "git push", options = ["Yes", "No"] },
) => {
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
};

/** The turn ends with this last message, which may be a question. */
const finish: DemoStep<{ text?: string }> = async (
  agent,
  { text = "Done: the parser is fixed and all tests pass." },
) => {
  agent.begin();
  await agent.rest(1000);
  agent.say(`● ${text}`);
  agent.transcript.says(text);
  await agent.rest(500);
  agent.end();
};

/** The same call with the same result, round after round, visible in the transcript only. Esc ends it. */
const loop: DemoStep<{ rounds?: number; everyMs?: number; input?: object; result?: string }> = async (
  agent,
  { rounds = 12, everyMs = 100, input = { file_path: "src/parse.ts" }, result = "line 1" },
) => {
  agent.screen.isUp = true;
  agent.begin();
  let isInterrupted = false;
  const going = async (): Promise<void> => {
    for (let round = 0; round < rounds && !isInterrupted; round++) {
      const id = agent.transcript.calls("Read", input);
      await agent.rest(everyMs);
      agent.transcript.returns(id, result);
      agent.tokens += 40;
    }
  };
  isInterrupted = await agent.untilInterrupted(going());
};

/** The usage limit, with its reset time in `minutes` from now. */
const limit: DemoStep<{ minutes?: number }> = async (agent, { minutes = 125 }) => {
  agent.begin();
  await agent.rest(1500);
  const at = new Date(Date.now() + minutes * 60_000);
  const hour = at.getUTCHours();
  const clock = `${hour % 12 || 12}:${String(at.getUTCMinutes()).padStart(2, "0")}${hour < 12 ? "am" : "pm"}`;
  agent.say("● Read(src/parse.ts)", redText(`  ⎿  You've hit your 5-hour limit · resets ${clock} (UTC)`));
  agent.end();
};

/** Spinner and clock keep moving without any activity; Esc ends it. */
const hang: DemoStep<{ ms?: number }> = async (agent, { ms }) => {
  agent.screen.isUp = true;
  agent.begin();
  await agent.untilInterrupted(agent.rest(ms));
};

const crash: DemoStep<object> = async () => {
  process.kill(process.pid, "SIGKILL");
};

export const STEPS = { boot, idle, think, stream, tool, ask, finish, loop, limit, hang, crash };

type Steps = typeof STEPS;
export type ScriptStep = { [Name in keyof Steps]: { do: Name } & Parameters<Steps[Name]>[1] }[keyof Steps];

export async function playSteps(
  agent: Agent,
  steps: readonly ({ do: string } & object)[],
  table: Readonly<Record<string, DemoStep<never>>> = STEPS,
): Promise<void> {
  const unknown = steps.find((step) => !Object.hasOwn(table, step.do));
  if (unknown) throw new Error(`unknown step in the script: ${unknown.do}`);
  process.stdout.write("\u001b[2J\u001b[H");
  for (const step of steps) await table[step.do]?.(agent, step as never);
}
