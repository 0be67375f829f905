/** Work that a turn leaves behind, as transcripts and hooks report it together. */
import { describe, expect, it } from "vitest";
import { assess } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { ScreenReading, Signal } from "../../src/core/signal.js";
import { PLAIN_TRAITS } from "../../src/core/traits.js";
import { ClaudeTranscriptReader } from "../../src/programs/claude-code/readers/transcript.js";
import { OpenCodeReader } from "../../src/programs/opencode/readers/rows.js";
import { ClaudeLines } from "../support/claude-lines.js";
import { at, JudgeRig } from "../support/judge-rig.js";
import { START } from "../support/steps.js";

const NEW = "2.1.210";
const launched = { isAsync: true, status: "async_launched", agentId: "a1" };
const L = () => new ClaudeLines(NEW);

it("a command that runs within the time that its user lets it run does not wait for an approval", () => {
  const build = (commandLimitMs?: number) => {
    const rig = new JudgeRig();
    if (commandLimitMs !== undefined) rig.file = new ClaudeTranscriptReader({ commandLimitMs });
    return rig.lines(L().mode(0, "default").prompt(0, "Build it.").calls(5, "b", "Bash", { command: "make" }));
  };
  expect([build().at(190), build(900_000).at(190), build(900_000).at(900)]).toEqual([
    "needs_input/permission",
    "waiting/tool",
    "waiting/tool",
  ]);
  expect(build(900_000).at(970)).toBe("needs_input/permission");
});

it("a command that its process shows as running does not wait for an approval, whatever its limit", () => {
  const rig = new JudgeRig().lines(
    L().mode(0, "default").prompt(0, "Build it.").calls(5, "b", "Bash", { command: "make" }),
  );
  const child = {
    kind: "process",
    source: "process",
    alive: true,
    children: 1,
    cpuMs: 1,
    newestChildAt: at(5),
  } as const;
  expect(rig.take([{ ...child, at: at(10) }]).at(190)).toBe("waiting/tool");
});

describe("pending work", () => {
  it("that the last message names as a server is not waited for", () => {
    const says = (text: string, command: string) =>
      new JudgeRig().lines(
        L()
          .prompt(0, "Start it.")
          .calls(5, "run", "Bash", { command, run_in_background: true })
          .result(6, "run", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
          .says(10, text),
      );
    expect(says("The app is up at http://localhost:3000.", "node app.mjs").at(60)).toBe("complete");
    expect(says("The import has started.", "node import.mjs").at(60)).toBe("waiting/background");
    expect(says("I will check http://localhost:3000 when the build is done.", "node app.mjs").at(60)).toBe(
      "waiting/background",
    );
  });
  it("that only the screen counts is a server if the last message gives its address", () => {
    const shows = (text: string) => {
      const evidence = createEvidence({ ...PLAIN_TRAITS, backgroundWakes: true, versions: { from: "1", to: "1" } });
      const busy: ScreenReading = { reply: "a", lastLine: "l", busy: true, moving: true, composer: "empty" };
      const still: ScreenReading = { ...busy, busy: false, moving: false, reply: "b", ended: true };
      const seen: ScreenReading[] = [busy, { ...still, background: 1, closing: "result", tail: [text] }];
      for (const [n, one] of seen.entries())
        takeSignal(evidence, { kind: "screen", source: "screen", at: START + n * 5000, reading: one });
      const { state, cause } = assess(evidence, START + 60_000);
      return cause ? `${state}/${cause}` : state;
    };
    expect(shows("The dev server is running at http://localhost:3000.")).toBe("complete");
    expect(shows("The tests are running.")).toBe("waiting/background");
  });
  it("does not shorten the clock of a session that only hooks report", () => {
    const rig = new JudgeRig();
    rig
      .hook(0, "UserPromptSubmit", { prompt: "Write it." })
      .hook(5, "PreToolUse", { tool_use_id: "r", tool_name: "Read", tool_input: { file_path: "/a" } })
      .hook(6, "PostToolUse", { tool_use_id: "r", tool_name: "Read", tool_response: "x" });
    expect(rig.at(6 + 360)).toBe("working");
  });
  it("that ended without being picked up is a lost result, whatever the Stop hook counted", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Review." });
    rig.lines(
      L()
        .prompt(0, "Review.")
        .calls(5, "agent", "Agent", { description: "R", prompt: "p" })
        .result(6, "agent", "Async agent launched successfully.", launched)
        .says(10, "Review started."),
    );
    rig.hook(10, "Stop", {
      last_assistant_message: "Review started.",
      background_tasks: [{ id: "a1", type: "agent", status: "running" }],
    });
    expect(rig.at(60)).toBe("waiting/background");
    const n = new ClaudeLines(NEW).line(400, {
      type: "queue-operation",
      operation: "enqueue",
      content:
        "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>agent</tool-use-id>\n<status>completed</status>\n</task-notification>",
    });
    rig.lines(n);
    expect(rig.at(480)).toBe("stuck/lost_result");
  });
  it("is over when the Stop hook lists no background task", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Review." });
    rig.lines(
      L()
        .prompt(0, "Review.")
        .calls(5, "agent", "Agent", { description: "R", prompt: "p" })
        .result(6, "agent", "Async agent launched successfully.", launched)
        .says(10, "Review started."),
    );
    rig.hook(10, "Stop", {
      last_assistant_message: "Review started.",
      background_tasks: [{ id: "a1", status: "running" }],
    });
    rig.hook(100, "UserPromptSubmit", { prompt: "Forget it. What is 2+2?" });
    rig.hook(105, "Stop", { last_assistant_message: "4.", background_tasks: [], session_crons: [] });
    expect(rig.at(120)).toBe("complete");
  });
  it("is over when a hook reports its notification", () => {
    const rig = new JudgeRig();
    rig
      .hook(0, "UserPromptSubmit", { prompt: "Review." })
      .hook(5, "PreToolUse", { tool_use_id: "agent", tool_name: "Agent", tool_input: { prompt: "p" } })
      .hook(6, "PostToolUse", { tool_use_id: "agent", tool_name: "Agent", tool_response: launched })
      .hook(10, "Stop", { last_assistant_message: "Started.", background_tasks: [{ id: "a1", status: "running" }] })
      .hook(400, "UserPromptSubmit", {
        prompt:
          "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>agent</tool-use-id>\n<status>completed</status>\n</task-notification>",
      })
      .hook(410, "Stop", { last_assistant_message: "The review found nothing.", background_tasks: [] });
    expect(rig.at(430)).toBe("complete");
  });
  it("of an agent from another day does not hold up a later turn", () => {
    const lines = L()
      .prompt(0, "Review.")
      .calls(5, "agent", "Agent", { description: "R", prompt: "p" })
      .result(6, "agent", "Async agent launched successfully.", launched)
      .says(10, "Started.")
      .turnEnds(10)
      .prompt(50_000, "What is 2+2?")
      .says(50_005, "4.")
      .turnEnds(50_005)
      .prompt(60_000, "Shall we go on?")
      .says(60_005, "Yes. Which port shall I use, 80 or 8080?")
      .turnEnds(60_005);
    const rig = new JudgeRig().lines(lines);
    expect(rig.at(60_030)).toBe("needs_input/input");
  });
  it("is over when a second Stop hook lists none", () => {
    const rig = new JudgeRig();
    rig
      .hook(0, "UserPromptSubmit", { prompt: "Run." })
      .hook(10, "Stop", {
        last_assistant_message: "The tests are running.",
        background_tasks: [{ id: "b1", status: "running" }],
      })
      .hook(100, "MessageDisplay", { delta: "All pass.", final: true })
      .hook(101, "Stop", { last_assistant_message: "All tests pass.", background_tasks: [] });
    expect(rig.at(120)).toBe("complete");
  });
  it("of a schedule does not hide a question", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Set up." }).hook(10, "Stop", {
      last_assistant_message: "Which port shall I use, 80 or 8080?",
      background_tasks: [],
      session_crons: [{ id: "c", cron: "0 9 * * *" }],
    });
    expect(rig.at(30)).toBe("needs_input/input");
  });
  it("is not a permission request while its reply is still being written", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Write." });
    rig.lines(L().prompt(0, "Write.").calls(5, "w1", "Write", { file_path: "/a", content: "a" }, null, "m"));
    rig.hook(95, "PreToolUse", {
      tool_use_id: "w1",
      tool_name: "Write",
      tool_input: { file_path: "/a", content: "a" },
    });
    expect(rig.at(96)).not.toBe("needs_input/permission");
  });
  it("that ends in the queue is no activity of a hung turn and no proof of work", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "job", "Bash", { command: "npm test", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(20, "ok", "end_turn")
      .turnEnds(20)
      .prompt(100, "Fix it.");
    const rig = new JudgeRig().lines(lines);
    expect(rig.at(100 + 305)).toBe("stuck/silent_stream");
    const before = rig.evidence.proof.workAt;
    rig.lines(
      new ClaudeLines(NEW).line(410, {
        type: "queue-operation",
        operation: "enqueue",
        content:
          "<task-notification>\n<tool-use-id>job</tool-use-id>\n<status>completed</status>\n</task-notification>",
      }),
    );
    expect([rig.at(415), rig.evidence.proof.workAt]).toEqual(["stuck/silent_stream", before]);
  });
  it("of a timer is over if it fires a moment early", () => {
    const lines = L()
      .prompt(0, "Watch.")
      .calls(5, "wake", "ScheduleWakeup", { delaySeconds: 1200 })
      .result(5.2, "wake", "Next wakeup scheduled for 09:20:05 (in 1200s).")
      .says(10, "I will check again.")
      .turnEnds(10)
      .line(1204.9, { type: "api-request", querySource: "repl_main_thread" })
      .says(1215, "The deployment is done.")
      .turnEnds(1215);
    expect(new JudgeRig().lines(lines).at(1250)).toBe("complete");
  });
  it("of a timer is replaced by a new timer", () => {
    const lines = L()
      .prompt(0, "Watch.")
      .calls(5, "w1", "ScheduleWakeup", { delaySeconds: 3600 })
      .result(5.2, "w1", "Next wakeup scheduled for 10:00:05 (in 3600s).")
      .calls(6, "w2", "ScheduleWakeup", { delaySeconds: 60 })
      .result(6.2, "w2", "Next wakeup scheduled for 09:01:06 (in 60s).")
      .says(10, "I will check again.")
      .turnEnds(10)
      .line(67, { type: "api-request", querySource: "repl_main_thread" })
      .says(70, "The deployment is done.")
      .turnEnds(70);
    expect(new JudgeRig().lines(lines).at(100)).toBe("complete");
  });
  it("cannot be ended by the text of a teammate", () => {
    const lines = L()
      .prompt(0, "Split.")
      .calls(5, "agent", "Agent", { prompt: "p" })
      .result(6, "agent", "Async agent launched successfully.", launched)
      .line(8, {
        type: "user",
        message: {
          role: "user",
          content: '<teammate-message teammate_id="x">see <tool-use-id>agent</tool-use-id></teammate-message>',
        },
      })
      .says(10, "Started.")
      .turnEnds(10);
    expect(new JudgeRig().lines(lines).at(60)).toBe("waiting/background");
  });
  it("stays known when a late hook reports the end of its launch", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Watch." });
    rig.hook(5, "PreToolUse", { tool_use_id: "wake", tool_name: "ScheduleWakeup", tool_input: { delaySeconds: 1200 } });
    rig.lines(
      L()
        .prompt(0, "Watch.")
        .calls(5, "wake", "ScheduleWakeup", { delaySeconds: 1200 })
        .result(5.2, "wake", "Next wakeup scheduled for 09:20:05 (in 1200s)."),
    );
    rig.hook(5.3, "PostToolUse", {
      tool_use_id: "wake",
      tool_name: "ScheduleWakeup",
      tool_response: { scheduledFor: 1, delaySeconds: 1200 },
    });
    rig.lines(L().says(10, "I will check again in 20 minutes."));
    rig.hook(10, "Stop", { last_assistant_message: "I will check again in 20 minutes." });
    expect(rig.at(100)).toBe("waiting/timer");
  });
  it("of a schedule counts beside a server", () => {
    const rig = new JudgeRig();
    rig
      .hook(0, "UserPromptSubmit", { prompt: "Go." })
      .hook(1, "PreToolUse", {
        tool_use_id: "s",
        tool_name: "Bash",
        tool_input: { command: "npm run dev", run_in_background: true },
      })
      .hook(2, "PostToolUse", { tool_use_id: "s", tool_name: "Bash", tool_response: { backgroundTaskId: "b1" } })
      .hook(10, "Stop", {
        last_assistant_message: "I will check again in 20 minutes.",
        background_tasks: [{ id: "b1", status: "running" }],
        session_crons: [{ id: "c" }],
      });
    expect(rig.at(100)).toBe("waiting/timer");
  });
  it("that the Stop hook counted outlives a late start in the transcript", () => {
    const rig = new JudgeRig();
    rig.hook(0, "UserPromptSubmit", { prompt: "Go." });
    rig.hook(2, "Stop", { last_assistant_message: "It runs.", background_tasks: [{ id: "b1", status: "running" }] });
    rig.lines(L().prompt(0, "Go.").says(1.5, "It runs.").turnEnds(2));
    expect(rig.at(30)).toBe("waiting/background");
  });
  it("that polls without a known time does not hide a question", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "job", "Bash", { command: "until curl -s localhost:8080; do sleep 2; done", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(10, "Which port shall I use, 80 or 8080?")
      .turnEnds(10);
    const rig = new JudgeRig().lines(lines);
    expect(rig.at(60)).toBe("needs_input/input");
  });
  it("of a subagent does not close the parallel command of its parent", () => {
    const reader = new OpenCodeReader({ follow: "root" });
    const rig = new JudgeRig();
    const row = (t: number, r: object) => rig.take(reader.read(r, at(t)));
    const part = (id: string, s: string, m: string, tool: string, input: object, state: string, t: number) =>
      row(t, {
        table: "part",
        id,
        message_id: m,
        session_id: s,
        data: {
          type: "tool",
          callID: id,
          tool,
          state: { status: state, input, output: "x", time: { start: at(t), end: at(t) } },
        },
      });
    row(0, { table: "session", id: "root" });
    row(0, { table: "message", id: "u1", session_id: "root", data: { role: "user", time: { created: at(0) } } });
    row(0, { table: "part", id: "p0", message_id: "u1", session_id: "root", data: { type: "text", text: "Go." } });
    row(1, { table: "message", id: "m1", session_id: "root", data: { role: "assistant", time: { created: at(1) } } });
    part("c1", "root", "m1", "bash", { command: "npm test" }, "running", 2);
    part("t1", "root", "m1", "task", { prompt: "p" }, "running", 2);
    row(3, { table: "session", id: "kid", parent_id: "root" });
    row(3, { table: "message", id: "m2", session_id: "kid", data: { role: "assistant", time: { created: at(3) } } });
    part("x1", "kid", "m2", "read", { filePath: "/a" }, "running", 4);
    part("x1", "kid", "m2", "read", { filePath: "/a" }, "completed", 5);
    part("t1", "root", "m1", "task", { prompt: "p" }, "completed", 60);
    expect([...rig.evidence.tools.open.keys()]).toEqual(["c1"]);
    expect(rig.at(60 + 16 * 60)).toBe("waiting/tool");
  });
  it("is not assumed dead after a first thought of six minutes", () => {
    const evidence = createEvidence({ ...PLAIN_TRAITS, ownTimeoutMs: 300_000, streamsReply: true });
    for (const s of [
      { kind: "turn", source: "transcript", phase: "start", byUser: true, at: at(0) },
      { kind: "process", source: "process", alive: true, children: 0, cpuMs: 10, at: at(1) },
      { kind: "process", source: "process", alive: true, children: 0, cpuMs: 20, at: at(355) },
    ] as Signal[])
      takeSignal(evidence, s);
    const v = assess(evidence, at(360));
    expect(v.level === "act" && v.state === "stuck").toBe(false);
  });
  it("is known if its result follows the next call", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "agent", "Agent", { prompt: "p" })
      .calls(5.5, "job", "Bash", { command: "./import.sh", run_in_background: true })
      .calls(6, "r", "Read", { file_path: "/a" })
      .result(6.1, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .result(6.2, "r", "x")
      .result(6.3, "agent", "x")
      .says(10, "It runs.")
      .turnEnds(10);
    expect(new JudgeRig().lines(lines).at(60)).toBe("waiting/background");
  });
  it("that sleeps does not hide a question", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "job", "Bash", { command: "sleep 1800; gh run view", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(10, "Which port shall I use, 80 or 8080?")
      .turnEnds(10);
    const rig = new JudgeRig().lines(lines);
    expect(rig.at(60)).toBe("needs_input/input");
  });
  it("that never brought the agent back is a server, and later turns are complete", () => {
    let lines = L()
      .prompt(0, "Go.")
      .calls(5, "job", "Bash", { command: "python app.py", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(10, "The app runs.")
      .turnEnds(10);
    for (let n = 1; n < 4; n++)
      lines = lines
        .prompt(n * 1000, "Next.")
        .says(n * 1000 + 5, "Done.")
        .turnEnds(n * 1000 + 5);
    const rig = new JudgeRig().lines(lines);
    expect(rig.at(3100)).toBe("complete");
  });
  it("that a user stopped is no lost result", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "job", "Bash", { command: "npm run dev", run_in_background: true })
      .result(6, "job", "Command running in background with ID: b1", { backgroundTaskId: "b1" })
      .says(10, "The app runs.")
      .turnEnds(10)
      .line(100, {
        type: "queue-operation",
        operation: "enqueue",
        content:
          "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>job</tool-use-id>\n<status>killed</status>\n</task-notification>",
      });
    expect(new JudgeRig().lines(lines).at(300)).toBe("complete");
  });
  it("is not ended by a status that its output quotes", () => {
    const lines = L()
      .prompt(0, "Go.")
      .calls(5, "agent", "Agent", { prompt: "p" })
      .result(6, "agent", "Async agent launched successfully.", launched)
      .says(10, "Started.")
      .turnEnds(10)
      .line(100, {
        type: "queue-operation",
        operation: "enqueue",
        content:
          "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>agent</tool-use-id>\n<status>running</status>\n<result>grep: <status>completed</status></result>\n</task-notification>",
      });
    expect(new JudgeRig().lines(lines).at(300)).toBe("waiting/background");
  });
  it("is judged again at its ceiling", () => {
    const rig = new JudgeRig().lines(
      L()
        .prompt(0, "Go.")
        .calls(5, "job", "Bash", { command: "./import.sh", run_in_background: true })
        .result(6, "job", "x", { backgroundTaskId: "b1" })
        .says(10, "It runs.")
        .turnEnds(10),
    );
    expect(((rig.full(60).recheckAt ?? 0) - START) / 1000).toBeLessThanOrEqual(611);
  });
});
