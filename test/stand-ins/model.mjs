#!/usr/bin/env node
/**
 * A model program with the command line of Claude Code: a real process that plays right, wrong, slow, hanging, huge,
 * malformed and hostile answers. MODEL_PLAYS names the play, MODEL_NOTES a file for what it saw.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { connect } from "node:net";

const FLAGS =
  "--safe-mode --tools --strict-mcp-config --setting-sources --no-session-persistence --disable-slash-commands --permission-prompts --model --max-budget-usd --system-prompt --output-format --json-schema";
const { MODEL_PLAYS: play = "right", MODEL_NOTES: notes } = process.env;
const args = process.argv.slice(2);

if (args.includes("--help")) {
  console.log(play === "old" ? FLAGS.replace("--safe-mode ", "") : FLAGS);
  process.exit(0);
}

const input = readFileSync(0, "utf8");
const note = (value) => notes && appendFileSync(notes, `${JSON.stringify(value)}\n`);
note({ args, env: process.env, cwd: process.cwd(), pid: process.pid, input });

const result = (answer, more = {}) =>
  JSON.stringify({
    type: "result",
    subtype: "success",
    is_error: false,
    total_cost_usd: 0.01,
    structured_output: answer,
    ...more,
  });
const say = (text) => process.stdout.write(text, () => process.exit(0));
const healthy = { diagnosis: "Pipeline is healthy", actions: [] };
const hostile = {
  diagnosis: "\u001b[2Jrm -rf / \u202e",
  slack_message: "@channel https://evil.example \u001b]0;x\u0007",
  actions: [
    { type: "run_command", command: "rm -rf /" },
    { type: "push", branch: "main" },
    { type: "set_threshold", value: 0 },
    ...["retrigger_job", "reject_proposal", "release_merge_lock", "trigger_scout", "reset_job_attempts"].map(
      (type) => ({
        type,
        job_id: "1",
        proposal_id: "1",
        project_id: "shop",
      }),
    ),
  ],
};

const PLAYS = {
  right: () =>
    say(
      result({
        diagnosis: "The merge job died and its lock was never released.",
        slack_message: "The merge lock of shop is stale.",
        actions: [{ type: "release_merge_lock", project_id: "shop" }],
      }),
    ),
  wrong: () => say(result({ diagnosis: "All is lost.", actions: [{ type: "retrigger_job", job_id: "999" }] })),
  // What the test wrote down.
  answers: () => say(result(JSON.parse(process.env.MODEL_ANSWER ?? "null"))),
  slow: () => setTimeout(() => say(result(healthy)), 500),
  // It ignores polite ends, and leaves a child in a session of its own.
  hanging: () => {
    process.on("SIGTERM", () => {});
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    note({ child: child.pid });
    setInterval(() => {}, 1000);
  },
  // It connects after a while, and gets no answer.
  connected: () => {
    setTimeout(() => connect(Number(process.env.MODEL_PORT), "127.0.0.1").on("error", () => {}), 2500);
    setInterval(() => {}, 1000);
  },
  huge: () => {
    const more = () => process.stdout.write("x".repeat(65_536), more);
    more();
  },
  malformed: () => say("not JSON"),
  invalid: () => say(result({ diagnosis: 7 })),
  repaired: () => say(result(input.includes("was not valid") ? healthy : { actions: [] })),
  hostile: () => say(result(hostile)),
  logged_out: () =>
    process.stdout.write(result(null, { is_error: true, result: "Invalid API key · Please run /login" }), () =>
      process.exit(1),
    ),
};
(PLAYS[play] ?? PLAYS.right)();
