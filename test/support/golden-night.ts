/** The night before the golden files: one agent for each main situation. */
import type { ScriptedAgents } from "./scripted-agents.js";
import { START, screen } from "./steps.js";

const PROCESS = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 100 } as const;

export async function playNight(night: ScriptedAgents): Promise<void> {
  night.allow("parser");
  // Stalls, is nudged, and works again.
  night.start("parser", { task: "T-12" });
  await night.working("parser", "The grammar has two rules that");
  // The same, without permission to act.
  night.start("tests");
  await night.working("tests", "Running the suite once more, then");
  await night.runUntil("interrupt");
  await night.send("parser", [
    { kind: "turn", source: "hook", phase: "interrupted" },
    { kind: "status", source: "title", status: "idle" },
    screen({ interrupted: true, reply: "interrupted" }),
  ]);
  await night.runUntil("nudge");
  await night.send("parser", [
    { kind: "turn", source: "hook", phase: "start", byUser: false },
    { kind: "status", source: "title", status: "working" },
    {
      kind: "tool_start",
      source: "hook",
      id: "p1",
      tool: "Edit",
      class: "edit",
      call: "c1",
      subject: "src/grammar.ts",
    },
    { kind: "tool_end", source: "hook", id: "p1", ok: true, outcome: "o1", raw: "r1" },
    screen({
      busy: true,
      moving: true,
      replying: true,
      reply: "after the nudge",
      tail: ["✳ Writing… (esc to interrupt)"],
    }),
  ]);
  await night.run(60);
  night.start("lint", { kind: "codex", origin: "run" });
  await night.send("lint", [
    PROCESS,
    { kind: "turn", source: "transcript", phase: "start", byUser: true },
    {
      kind: "message",
      source: "transcript",
      role: "assistant",
      digest: "m1",
      closing: "result",
      preview: "All 14 warnings are fixed.",
    },
    { kind: "turn", source: "transcript", phase: "end" },
    screen({ reply: "All 14 warnings are fixed." }),
  ]);
  night.start("migrate");
  await night.send("migrate", [
    PROCESS,
    { kind: "turn", source: "hook", phase: "start", byUser: true },
    { kind: "turn", source: "transcript", phase: "start", byUser: true },
    screen({ reply: "401 Invalid API key" }),
    {
      kind: "error",
      source: "transcript",
      cause: "auth",
      final: true,
      digest: "e1",
      text: "401 Invalid API key · Please run /login",
    },
    { kind: "turn", source: "hook", phase: "end" },
  ]);
  night.start("build");
  await night.working("build", "Compiling");
  await night.run(20);
  await night.send("build", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
  night.start("docs", {
    kind: "codex",
    origin: "tmux",
    hostSocket: null,
    pane: { socket: "/tmp/tmux-1000/default", id: "%3" },
  });
  await night.send("docs", [
    PROCESS,
    { kind: "turn", source: "transcript", phase: "start", byUser: true },
    {
      kind: "limit",
      source: "screen",
      level: "hit",
      until: START + 3 * 3_600_000 + 600_000,
      text: "You've hit your usage limit. Try again at 12:10 PM.",
    },
    screen({ reply: "You've hit your usage limit." }),
  ]);
  night.start("api", { origin: "run" });
  await night.send("api", [
    PROCESS,
    { kind: "turn", source: "hook", phase: "start", byUser: true },
    { kind: "turn", source: "transcript", phase: "start", byUser: true },
    {
      kind: "tool_start",
      source: "hook",
      id: "a1",
      tool: "Bash",
      class: "shell",
      call: "c2",
      subject: "git push --force",
    },
    {
      kind: "prompt",
      source: "hook",
      open: true,
      prompt: "permission",
      question: "Claude needs your permission to use Bash: git push --force origin main",
    },
    screen({
      dialog: { prompt: "permission", question: "Do you want to proceed? git push --force origin main" },
      composer: "hidden",
      tail: ["Bash command", "  git push --force origin main", "Do you want to proceed?", "❯ 1. Yes", "  2. No"],
    }),
  ]);
  night.start("web", { tags: ["work"] });
  await night.working("web", "Now the tests for the header");
  await night.run(30);
  await night.send("web", [
    { kind: "tool_start", source: "hook", id: "w1", tool: "Bash", class: "test", call: "c3", subject: "npm test" },
    { kind: "tokens", source: "transcript", input: 48_000, output: 2100 },
  ]);
  await night.send("parser", [
    {
      kind: "tool_start",
      source: "hook",
      id: "p2",
      tool: "Bash",
      class: "test",
      call: "c4",
      subject: "npm test -- grammar",
    },
  ]);
  await night.run(30);
}
