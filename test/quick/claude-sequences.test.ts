/**
 * Sequences of transcript lines that were judged wrongly on real work. Each is written by hand; `not` lists the verdicts
 * that it once had, `at` the verdicts that it must have, by second.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../src/core/judgement/timeline.js";
import { SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { replayTranscript } from "../../src/replay/replay-records.js";
import { ClaudeLines } from "../support/claude-lines.js";

interface Sequence {
  name: string;
  lines: ClaudeLines;
  not: readonly string[];
  at: Readonly<Record<number, string>>;
}

const NEW = "2.1.210";
const OLD = "2.1.60";
const TOO_LONG = "API Error: Claude's response exceeded the 32000 output token maximum.";
const launched = { isAsync: true, status: "async_launched", agentId: "a1" };

const SEQUENCES: readonly Sequence[] = [
  {
    name: "a background job that runs for hours while the agent works on",
    lines: (() => {
      const lines = new ClaudeLines(OLD)
        .prompt(0, "Start the import and go on.")
        .calls(5, "job", "Bash", { command: "./import.sh", run_in_background: true }, null)
        .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" });
      for (let n = 0; n < 12; n++) {
        const t = 60 + n * 420;
        lines
          .says(t, "Now I will update the next module.", null)
          .calls(
            t + 40,
            `edit${n}`,
            "Edit",
            { file_path: `/repo/m${n}.ts`, old_string: "a", new_string: `b${n}` },
            null,
          )
          .result(t + 41, `edit${n}`, "The file has been updated.");
      }
      return lines;
    })(),
    not: ["stuck/tool_hang", "stuck/stopped_early"],
    at: { 5000: "working" },
  },
  {
    name: "a background job that ended with a notification long before the turn did",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Run the tests, then fix what fails.")
      .calls(5, "job", "Bash", { command: "npm test", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .notification(60, "job")
      .says(5000, "All tests pass now.")
      .turnEnds(5000)
      .until(5200),
    not: ["stuck/tool_hang", "stuck/lost_result"],
    at: { 5010: "complete", 5190: "complete" },
  },
  {
    name: "an async agent that returns after the turn ended with a promise",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Review the code.")
      .calls(5, "agent", "Agent", { description: "Review", prompt: "Review src" })
      .result(6, "agent", "Async agent launched successfully.", launched)
      .says(10, "The reviewer is running. I will report when it returns.")
      .turnEnds(10)
      .notification(400, "agent")
      .says(410, "The review found no problem.")
      .turnEnds(410)
      .until(500),
    not: ["stuck/stopped_early", "stuck/lost_result", "needs_input/input"],
    at: { 60: "waiting/background", 390: "waiting/background", 480: "complete" },
  },
  {
    name: "an async agent, whatever the last message says",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Review the code.")
      .calls(5, "agent", "Agent", { description: "Review", prompt: "Review src" })
      .result(6, "agent", "Async agent launched successfully.", launched)
      .says(10, "Review started.")
      .turnEnds(10)
      .notification(400, "agent")
      .says(410, "The review found no problem.")
      .turnEnds(410)
      .until(500),
    not: ["stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/background", 480: "complete" },
  },
  {
    name: "a teammate that was spawned",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Split the work.")
      .calls(5, "mate", "Agent", { description: "Docs", prompt: "Write docs", team_name: "t", name: "writer" })
      .result(6, "mate", "Spawned successfully.\nagent_id: writer@t", {
        status: "teammate_spawned",
        agent_id: "writer@t",
      })
      .says(10, "The writer is at work. I will wait for its report.")
      .turnEnds(10)
      .line(600, {
        type: "user",
        message: {
          role: "user",
          content:
            '<teammate-message teammate_id="writer" color="blue">\n{"type":"idle_notification","from":"writer"}\n</teammate-message>',
        },
      })
      .says(610, "The docs are written.")
      .turnEnds(610)
      .until(700),
    not: ["stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/background", 680: "complete" },
  },
  {
    name: "a teammate that reports its progress and works on",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Split the work.")
      .calls(5, "mate", "Agent", { description: "Docs", prompt: "Write docs", team_name: "t", name: "writer" })
      .result(6, "mate", "Spawned successfully.\nagent_id: writer@t", {
        status: "teammate_spawned",
        agent_id: "writer@t",
      })
      .says(10, "The writer is at work.")
      .turnEnds(10)
      .line(300, {
        type: "user",
        message: { role: "user", content: '<teammate-message teammate_id="writer">Half done.</teammate-message>' },
      })
      .says(310, "The writer has written half of the docs.")
      .turnEnds(310)
      .until(900),
    not: ["complete", "stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/background", 880: "waiting/background" },
  },
  {
    name: "a wake-up that is scheduled after the end of the turn",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Watch the deployment.")
      .calls(5, "wake", "ScheduleWakeup", { delaySeconds: 1200, reason: "check the deployment" })
      .result(5.2, "wake", "Next wakeup scheduled for 09:20:05 (in 1200s).")
      .says(10, "I will check again in 20 minutes.")
      .turnEnds(10)
      .line(1205, { type: "user", isMeta: true, message: { role: "user", content: "Check the deployment." } })
      .says(1215, "The deployment is done.")
      .turnEnds(1215)
      .until(1300),
    not: ["stuck/stopped_early", "stuck/lost_result", "needs_input/input"],
    at: { 60: "waiting/timer", 1190: "waiting/timer", 1290: "complete" },
  },
  {
    name: "a shell that was killed long before a text that promises more, in the middle of the turn",
    lines: new ClaudeLines(OLD)
      .prompt(0, "Start the import and go on.")
      .calls(5, "job", "Bash", { command: "./import.sh", run_in_background: true }, null)
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .calls(60, "kill", "KillShell", { shell_id: "b1" }, null)
      .result(61, "kill", "Successfully killed shell: b1", { shell_id: "b1" })
      .says(400, "Now I will update the module.", null)
      .calls(600, "write", "Write", { file_path: "/repo/a.ts", content: "…" }, null)
      .result(601, "write", "File created.")
      .says(610, "The module is updated.", null)
      .turnEnds(611)
      .until(5000),
    not: ["stuck/tool_hang", "stuck/stopped_early", "waiting/background"],
    at: { 590: "working", 4900: "complete" },
  },
  {
    name: "a background job whose end the agent itself read",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Run the tests.")
      .calls(5, "job", "Bash", { command: "npm test", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .calls(60, "read", "TaskOutput", { task_id: "b1", block: true, timeout: 60_000 })
      .result(110, "read", "<status>completed</status>", { task: { task_id: "b1", status: "completed" } })
      .says(120, "The tests pass.")
      .turnEnds(120)
      .until(200),
    not: ["stuck/lost_result"],
    at: { 90: "waiting/background", 130: "complete" },
  },
  {
    name: "tests in the background that run for longer than a server is waited for",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Run the slow tests.")
      .calls(5, "job", "Bash", { command: "npm test", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(10, "The tests run in the background.")
      .turnEnds(10)
      .notification(2400, "job")
      .says(2410, "The tests pass.")
      .turnEnds(2410)
      .until(2500),
    not: ["stuck/tool_hang", "stuck/lost_result"],
    at: { 60: "waiting/background", 2390: "waiting/background", 2450: "complete" },
  },
  {
    name: "an async agent without the details of its launch",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Review the code.")
      .calls(5, "agent", "Task", { description: "Review", prompt: "Review src" })
      .result(6, "agent", "Async agent launched successfully.\nagentId: a1")
      .says(10, "I will report when it returns.")
      .turnEnds(10)
      .notification(400, "agent")
      .says(410, "The review found no problem.")
      .turnEnds(410)
      .until(500),
    not: ["stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/background", 480: "complete" },
  },
  {
    name: "an agent that was launched on another machine",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Review the code.")
      .calls(5, "agent", "Agent", { description: "Review", prompt: "Review src" })
      .result(6, "agent", "Remote agent launched.", { status: "remote_launched", taskId: "r1" })
      .says(10, "I will report when it returns.")
      .turnEnds(10)
      .notification(400, "agent")
      .says(410, "The review found no problem.")
      .turnEnds(410)
      .until(500),
    not: ["stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/background", 480: "complete" },
  },
  {
    name: "a monitor that reports within its deadline",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Tell me when the build is red.")
      .calls(5, "watch", "Monitor", { description: "CI", command: "tail -f ci.log", timeout_ms: 1_800_000 })
      .result(6, "watch", "Monitor started (task m1, timeout 1800s). You will be notified on each event.", {
        taskId: "m1",
        timeoutMs: 1_800_000,
      })
      .says(10, "The build is watched.")
      .turnEnds(10)
      .notification(1500, "watch")
      .says(1510, "The build is green.")
      .turnEnds(1510)
      .until(1600),
    not: ["stuck/stopped_early", "stuck/tool_hang"],
    at: { 60: "waiting/background", 1490: "waiting/background", 1590: "complete" },
  },
  {
    name: "a wake-up that the agent cancelled",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Watch the deployment.")
      .calls(5, "wake", "ScheduleWakeup", { delaySeconds: 1200, reason: "check", prompt: "check" })
      .result(5.2, "wake", "Next wakeup scheduled for 09:20:05 (in 1200s).", { clampedDelaySeconds: 1200 })
      .calls(8, "stop", "ScheduleWakeup", { stop: true })
      .result(8.2, "stop", "Loop ended.", { scheduledFor: 0, clampedDelaySeconds: 0, stopped: true })
      .says(10, "The deployment is done.")
      .turnEnds(10)
      .until(100),
    not: ["waiting/timer"],
    at: { 60: "complete" },
  },
  {
    name: "a recurring job, at its first and its second time",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Check the deployment every 10 minutes.")
      .calls(5, "cron", "CronCreate", { cron: "*/10 * * * *", prompt: "Check it.", recurring: true })
      .result(5.2, "cron", "Scheduled recurring job c1 (Every 10 minutes). Session-only.", {
        id: "c1",
        humanSchedule: "Every 10 minutes",
        recurring: true,
        nextFireAt: Date.parse("2026-03-02T09:10:00Z"),
      })
      .says(10, "I will check every 10 minutes.")
      .turnEnds(10)
      .line(600, { type: "user", isMeta: true, message: { role: "user", content: "Check it." } })
      .says(610, "Still running. I will check again.")
      .turnEnds(610)
      .line(1200, { type: "user", isMeta: true, message: { role: "user", content: "Check it." } })
      .calls(1205, "end", "CronDelete", { id: "c1" })
      .result(1205.2, "end", "Cancelled job c1.", { id: "c1" })
      .says(1210, "The deployment is done.")
      .turnEnds(1210)
      .until(1300),
    not: ["stuck/stopped_early", "stuck/lost_result"],
    at: { 60: "waiting/timer", 590: "waiting/timer", 1190: "waiting/timer", 1290: "complete" },
  },
  {
    name: "a silence of ten minutes after the result of a tool",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Read the file.")
      .calls(10, "read", "Read", { file_path: "/repo/a.ts" })
      .result(11, "read", "export {};")
      .until(700),
    not: [],
    at: { 560: "working", 620: "stuck/silent_stream" },
  },
  {
    name: "a subagent that writes no line for fourteen minutes",
    lines: new ClaudeLines(OLD)
      .prompt(0, "Test the project.")
      .calls(5, "agent", "Task", { description: "Tests", subagent_type: "tester", prompt: "Test" }, null)
      .line(15, { type: "system", subtype: "local_command" })
      .result(860, "agent", "All tests pass.")
      .says(870, "All tests pass.", null)
      .turnEnds(871)
      .until(900),
    not: ["stuck/silent_stream"],
    at: { 850: "waiting/subagent", 890: "complete" },
  },
  {
    name: "a command that exceeds its own time limit, behind assignments, in a session that asks for nothing",
    lines: new ClaudeLines(NEW)
      .mode(0, "bypassPermissions")
      .prompt(0, "Run it.")
      .calls(5, "run", "Bash", { command: "cd /repo && DIR=$(mktemp -d) LEVEL='a b' timeout 300 ./run.sh --all" })
      .until(600),
    not: [],
    at: { 300: "waiting/tool", 400: "stuck/tool_hang" },
  },
  {
    name: "a command with a time limit that had to wait for its parallel one",
    lines: new ClaudeLines(NEW)
      .mode(0, "bypassPermissions")
      .prompt(0, "Run both.")
      .calls(5, "b1", "Bash", { command: "make all" }, "tool_use", "msg_b")
      .calls(5, "b2", "Bash", { command: "timeout 60 ./check.sh" }, "tool_use", "msg_b")
      .result(400, "b1", "ok")
      .result(450, "b2", "ok")
      .says(460, "Both have run.")
      .turnEnds(460)
      .until(500),
    not: ["stuck/tool_hang"],
    at: { 440: "waiting/tool", 490: "complete" },
  },
  {
    name: "a workflow in the background with a closing sentence that sounds like a question",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Migrate the packages.")
      .calls(5, "flow", "Workflow", { script: "migrate" })
      .result(6, "flow", "Workflow launched in background. Task ID: w1", { status: "async_launched", taskId: "w1" })
      .says(10, "The workflow is running; I will report when it ends. Shall I also clean up afterwards?")
      .turnEnds(10)
      .notification(1500, "flow")
      .says(1510, "All packages are migrated.")
      .turnEnds(1510)
      .until(1600),
    not: ["stuck/stopped_early", "needs_input/input"],
    at: { 60: "waiting/background", 1590: "complete" },
  },
  {
    name: "results that are written before their calls",
    lines: (() => {
      const lines = new ClaudeLines(NEW).prompt(0, "Read the files.");
      for (let n = 0; n < 5; n++) {
        lines
          .result(10 + n * 60, `read${n}`, "export {};")
          .calls(10.1 + n * 60, `read${n}`, "Read", { file_path: `/repo/f${n}.ts` });
      }
      return lines.says(320, "All files are read.").turnEnds(320).until(400);
    })(),
    not: ["needs_input/permission"],
    at: { 60: "working", 390: "complete" },
  },
  {
    name: "a queue count that is left over while a long file is being written",
    lines: new ClaudeLines(OLD)
      .prompt(0, "Write the report.")
      .queue(5, "enqueue")
      .line(8, { type: "attachment", attachment: { type: "queued_command", prompt: "one more thing" } })
      .says(10, "Now I have all the facts.", null)
      .calls(200, "write", "Write", { file_path: "/repo/report.md", content: "…" }, null)
      .result(201, "write", "File created.")
      .says(210, "The report is written.", null)
      .turnEnds(211)
      .until(400),
    not: ["stuck/lost_result"],
    at: { 390: "complete" },
  },
  {
    name: "a typed /compact that hangs",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Fix the bug.")
      .says(10, "The bug is fixed.")
      .turnEnds(10)
      .prompt(30, "<command-name>/compact</command-name>\n<command-message>compact</command-message>")
      .until(2000),
    not: ["stuck/lost_result", "stuck/stopped_early"],
    at: { 100: "waiting/compaction", 900: "waiting/compaction", 1900: "stuck/compaction" },
  },
  {
    name: "a typed /compact with a queue count left over",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Write the report.")
      .queue(5, "enqueue")
      .says(20, "The report is written.")
      .turnEnds(20)
      .prompt(30, "<command-name>/compact</command-name>\n<command-message>compact</command-message>")
      .line(150, { type: "system", subtype: "compact_boundary", content: "Conversation compacted" })
      .until(160),
    not: ["stuck/lost_result"],
    at: { 100: "waiting/compaction" },
  },
  {
    name: "a text before a call that takes minutes to write, in a release without stop reasons",
    lines: new ClaudeLines(OLD)
      .prompt(0, "Write the report.")
      .says(10, "The structure is clear.", null)
      .calls(16, "write", "Write", { file_path: "/repo/report.md", content: "…" }, null)
      .result(17, "write", "File created.")
      .says(20, "The report is written.", null)
      .turnEnds(21)
      .until(100),
    not: [],
    at: { 15: "working", 90: "complete" },
  },
  {
    name: "a prompt that is never answered",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Read the issues.")
      .says(5, "All issues are read.")
      .turnEnds(5)
      .prompt(60, "Fix the first one.")
      .until(500),
    not: [],
    at: { 200: "working", 400: "stuck/silent_stream" },
  },
  {
    name: "five parallel calls of one message that fail",
    lines: (() => {
      const lines = new ClaudeLines(NEW).prompt(0, "Read the issues.");
      for (let n = 0; n < 5; n++) lines.calls(5, `c${n}`, "mcp__tracker__get", { id: n }, "tool_use", "msg_p");
      for (let n = 0; n < 5; n++)
        lines.result(5, `c${n}`, "<tool_use_error>Error: No such tool available</tool_use_error>", {}, true);
      return lines.says(12, "The tracker is not available, so I read the files.").turnEnds(12).until(60);
    })(),
    not: ["stuck/repeated_error", "stuck/loop"],
    at: { 8: "working", 50: "complete" },
  },
  {
    name: "a message that still gets further calls while its first call is open",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Rewrite the two files.")
      .calls(5, "w1", "Write", { file_path: "/repo/a.md", content: "a" }, null, "msg_w")
      .calls(95, "w2", "Write", { file_path: "/repo/b.md", content: "b" }, "tool_use", "msg_w")
      .result(96, "w1", "File created.")
      .result(96, "w2", "File created.")
      .says(100, "Both files are rewritten.")
      .turnEnds(100)
      .until(150),
    not: ["needs_input/permission"],
    at: { 80: "waiting/tool", 140: "complete" },
  },
  {
    name: "a command that waits for approval for hours",
    lines: new ClaudeLines(NEW)
      .mode(0, "default")
      .prompt(0, "Publish it.")
      .calls(5, "push", "Bash", { command: "git push origin main" })
      .until(30_000),
    not: ["stuck/tool_hang"],
    at: { 170: "waiting/tool", 190: "needs_input/permission", 29000: "needs_input/permission" },
  },
  {
    name: "a page that waits for approval",
    lines: new ClaudeLines(NEW)
      .mode(0, "acceptEdits")
      .prompt(0, "Read the page.")
      .calls(5, "page", "WebFetch", { url: "https://example.org", prompt: "Summarise" })
      .until(4000),
    not: ["stuck/tool_hang"],
    at: { 100: "waiting/tool", 190: "needs_input/permission", 3900: "needs_input/permission" },
  },
  {
    name: "a server in the background that waits for approval",
    lines: new ClaudeLines(NEW)
      .mode(0, "default")
      .prompt(0, "Start the server.")
      .calls(5, "serve", "Bash", { command: "npm start", run_in_background: true })
      .until(300),
    not: ["stuck/tool_hang"],
    at: { 30: "waiting/tool", 70: "needs_input/permission" },
  },
  {
    name: "a command that runs for the ten minutes that it asked for",
    lines: new ClaudeLines(NEW)
      .mode(0, "default")
      .prompt(0, "Run the tests.")
      .calls(5, "test", "Bash", { command: "npm run test:all", timeout: 600_000 })
      .result(600, "test", "ok")
      .says(610, "All tests pass.")
      .turnEnds(610)
      .until(700),
    not: ["needs_input/permission", "stuck/tool_hang"],
    at: { 590: "waiting/tool", 690: "complete" },
  },
  {
    name: "two parallel commands that run one after the other",
    lines: new ClaudeLines(NEW)
      .mode(0, "default")
      .prompt(0, "Run both builds.")
      .calls(5, "b1", "Bash", { command: "make a" }, "tool_use", "msg_b")
      .calls(5, "b2", "Bash", { command: "make b" }, "tool_use", "msg_b")
      .result(120, "b1", "ok")
      .result(235, "b2", "ok")
      .says(240, "Both are built.")
      .turnEnds(240)
      .until(300),
    not: ["needs_input/permission"],
    at: { 230: "waiting/tool", 290: "complete" },
  },
  {
    name: "a command that hangs in a session that asks for nothing",
    lines: new ClaudeLines(NEW)
      .mode(0, "bypassPermissions")
      .prompt(0, "Publish it.")
      .calls(5, "push", "Bash", { command: "git push origin main" })
      .until(12_000),
    not: ["needs_input/permission"],
    at: { 190: "waiting/tool", 11900: "stuck/tool_hang" },
  },
  {
    name: "a search that is open for hours in a release that does not write its permission mode",
    lines: new ClaudeLines(OLD)
      .prompt(0, "Search for it.")
      .calls(5, "search", "WebSearch", { query: "rouse" }, null)
      .until(8000),
    not: ["stuck/tool_hang"],
    at: { 3000: "waiting/tool", 7900: "needs_input/permission" },
  },
  {
    name: "replies that exceed the maximum of output tokens, after which the program continues by itself",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Write the report.")
      .fails(60, "max_output_tokens", TOO_LONG)
      .calls(63, "write", "Write", { file_path: "/repo/report.md", content: "…" })
      .result(64, "write", "File created.")
      .says(70, "The report is written.")
      .turnEnds(70)
      .until(100),
    not: ["error/api", "stuck/retry_storm"],
    at: { 62: "waiting/retry", 90: "complete" },
  },
  {
    name: "a reply that exceeds the maximum of output tokens, after which the program gives up",
    lines: new ClaudeLines(NEW)
      .prompt(0, "Write the report.")
      .fails(60, "max_output_tokens", TOO_LONG)
      .turnEnds(61)
      .until(100),
    not: ["complete"],
    at: { 60.5: "waiting/retry", 90: "error/api" },
  },
  {
    name: "a connection that is refused three times in two seconds",
    lines: (() => {
      const lines = new ClaudeLines(NEW).prompt(0, "Write the report.");
      for (const [n, t] of [5, 5.6, 6.8, 9, 13.2, 21.5, 39].entries())
        lines.line(t, {
          type: "system",
          subtype: "api_error",
          error: { message: "connect ECONNREFUSED 127.0.0.1:1", code: "ECONNREFUSED" },
          retryAttempt: n + 1,
          maxRetries: 10,
          retryInMs: 500 * 2 ** n,
        });
      return lines.until(60);
    })(),
    not: [],
    at: { 8: "waiting/retry", 24: "waiting/retry", 26: "error/unreachable" },
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-sequences-"));
});
afterAll(() => rm(folder, { recursive: true }));

const nameOf = ({ state, cause }: Pick<TimelineEntry, "state" | "cause">): string =>
  cause === null ? state : `${state}/${cause}`;

describe("a transcript of Claude Code with", () => {
  it.each(SEQUENCES)("$name is judged rightly", async ({ lines, not, at }) => {
    const path = join(folder, "sequence.jsonl");
    await writeFile(path, lines.text);
    const { timeline } = await replayTranscript(path, { sources: new Set(SOURCE_NAMES), zone: "UTC" });
    const said = timeline.map((entry) => ({ t: entry.t, verdict: nameOf(entry), reason: entry.reasons?.[0] }));
    expect(said.filter(({ verdict }) => not.includes(verdict))).toEqual([]);
    const found = Object.fromEntries(
      Object.keys(at).map((t) => [t, said.findLast((entry) => entry.t <= Number(t))?.verdict]),
    );
    expect(found).toEqual(at);
  });
});
