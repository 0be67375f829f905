/**
 * An agent of a night. It knows its task from its prompt alone, works on the steps that are open there, and reports each.
 * The title of the task says where it fails: "crash before 2", "limit at 1", "hang at 3 1" (its first and second session).
 *
 *   node night.mjs FOLDER RESET_SECONDS TRANSCRIPTS [--resume ID]
 *
 * FOLDER gets a file for each step that was worked on (`TASK-STEP`) and reported (`TASK-STEP.reported`), and `faults` for
 * work that was done twice.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "../../dist/demo/agent/agent.js";
import { STEPS } from "./steps.mjs";

const BIN = join(import.meta.dirname, "..", "..", "bin", "rouse");
const [, , folder, resetSeconds, transcripts] = process.argv;
const isResumed = process.argv.includes("--resume");
const { ROUSE_TASK: id, ROUSE_PROMPT_FILE: promptFile, NODE_OPTIONS: _, ...env } = process.env;
const prompt = readFileSync(promptFile, "utf8");
const [, title = ""] = /^# .*?: (.*)$/m.exec(prompt) ?? [];
const [what, where, ...places] = title.split(" ");
/** A continuation has the next place; a resumed session and one without a place work through. */
const continuation = Number(/^This is continuation (\d+)/m.exec(prompt)?.[1] ?? 0);
const at = what === "die" ? places[0] : isResumed ? undefined : places[continuation];
const steps = [...prompt.matchAll(/^(\d+)\. \[([ x])\] /gm)].map(([, step, done]) => ({ step, isDone: done === "x" }));
const session = isResumed ? process.argv[process.argv.indexOf("--resume") + 1] : randomUUID();
const transcript = join(transcripts, process.cwd().replace(/[^a-zA-Z0-9]/g, "-"), `${session}.jsonl`);
const agent = new Agent({ drawMs: 300, transcript, session });

/** Its own program reports while the screen is drawn. */
const rouse = (...words) =>
  new Promise((resolve) => {
    const own = { ...env, ROUSE_TASK: id };
    spawn(process.execPath, [BIN, ...words], { env: own, stdio: "ignore" }).once("close", resolve);
  });
const fault = (text) => appendFileSync(join(folder, "faults"), `task ${id}, ${process.pid}: ${text}\n`);
const isHere = (step, when) => where === when && at === step;

async function work(step) {
  const file = join(folder, `${id}-${step}`);
  if (existsSync(`${file}.reported`)) {
    // Its own conversation shows the report.
    if (isResumed) return;
    fault(`step ${step} is open in the prompt, and was reported`);
  }
  // Left by a session that could not report it: verified, not done again.
  if (existsSync(file)) return;
  await STEPS.tool(agent, { command: ["true"], shown: `make part-${step}` });
  await STEPS.stream(agent, { text: `I work on step ${step} of task ${id}`, ms: 800 });
  try {
    writeFileSync(file, "", { flag: "wx" });
  } catch {
    fault(`step ${step} was done twice`);
  }
}

const crash = () => process.exit(7);
const TROUBLES = {
  crash,
  die: crash,
  hang: () => STEPS.freeze(agent, { ms: 3_600_000 }),
  limit: async () => {
    appendFileSync(join(folder, "limits"), `${Date.now()}\n`);
    await STEPS.limited(agent, { text: `You've hit your 5-hour limit · resets in ${resetSeconds}s` });
    await STEPS.idle(agent, {});
  },
};

agent.screen.isUp = true;
if (isResumed) await STEPS.idle(agent, {});
else await STEPS.asked(agent, { text: title });
agent.begin();
if (what === "lie" && continuation === 0) await rouse("task", "done", id, "finished");
for (const { step, isDone } of steps) {
  if (isDone) continue;
  if (isHere(step, "before") || isHere(step, "at")) await TROUBLES[what]();
  await work(step);
  if (isHere(step, "within")) await TROUBLES[what]();
  if ((await rouse("checkpoint", "--step", step, `step ${step} done`)) === 0)
    writeFileSync(join(folder, `${id}-${step}.reported`), "");
  if (isHere(step, "after")) await TROUBLES[what]();
}
while (what !== "surrender" && (await rouse("task", "done", id, "finished")) !== 0) await sleep(1000);
if (what === "surrender") await rouse("task", "fail", id, "the disk of the test machine is broken");
await STEPS.finish(agent, {});
