/** The workers of the message examples in docs/orchestrators.md: one for each type of message. */
import type { ScriptedAgents } from "./scripted-agents.js";
import { screen } from "./steps.js";

const WORKERS = {
  "feat-103-worker": { id: "mwhsb9jn-bf1709405791", task: "FEAT-103" },
  "feat-104-worker": { id: "mwhsmiqu-0fb8f1e09bca", task: "FEAT-104" },
  "bug-066-worker": { id: "mwhsbg3g-3ae8605b0ddf", task: "BUG-066" },
  "docs-worker": { id: "mwhsmlxw-e4f2a6eb533a", task: "DOC-7" },
  "release-worker": { id: "mwhsc8qf-44e868ce496e", task: "REL-2" },
  "refactor-worker": { id: "mwhsbd0z-c14fbab97830", task: "REF-12" },
} as const;

const GAVE_UP = "API Error: Repeated 529 Overloaded errors. The API is at capacity.";

export async function playWorkers(agents: ScriptedAgents): Promise<void> {
  const start = async (name: keyof typeof WORKERS, reply: string): Promise<void> => {
    agents.start(name, { ...WORKERS[name], tags: ["worker"] });
    await agents.working(name, reply);
  };
  await start("bug-066-worker", "● Read(src/parse.ts)");
  await agents.run(10);
  await agents.send("bug-066-worker", [
    { kind: "error", source: "transcript", cause: "api", final: true, digest: "e1", text: GAVE_UP },
    { kind: "turn", source: "hook", phase: "end" },
    { kind: "turn", source: "transcript", phase: "end" },
    { kind: "status", source: "title", status: "idle" },
    screen({ reply: GAVE_UP, tail: ["● Read(src/parse.ts)", `⎿ ${GAVE_UP}`, "✻ Cooked for 11s"] }),
  ]);
  await agents.run(20);

  // A user resumes it, and the next turn works.
  await agents.send("bug-066-worker", [
    { kind: "turn", source: "hook", phase: "start", byUser: true },
    { kind: "turn", source: "transcript", phase: "start", byUser: true },
    { kind: "status", source: "title", status: "working" },
  ]);
  for (let second = 0; second < 50; second += 10) {
    await agents.send("bug-066-worker", [
      screen({ busy: true, moving: true, replying: true, reply: `working ${second}` }),
      { kind: "delta", source: "transcript", channel: "content", chars: 200 },
    ]);
    await agents.run(10);
  }
  await agents.send("bug-066-worker", [
    { kind: "tool_start", source: "hook", id: "t1", tool: "Bash", class: "test", call: "c1", subject: "npm test" },
  ]);

  await start("feat-103-worker", "● The feature is implemented, and all tests pass.");
  await agents.run(10);
  await agents.send("feat-103-worker", [
    { kind: "report", source: "report", state: "complete", text: "Feature implemented and tests passing" },
    { kind: "turn", source: "hook", phase: "end" },
    { kind: "turn", source: "transcript", phase: "end" },
    { kind: "status", source: "title", status: "idle" },
    screen({ reply: "done" }),
  ]);
  await agents.run(20);

  await start("docs-worker", "● The settings can be stored in two formats.");
  await agents.run(10);
  await agents.send("docs-worker", [
    {
      kind: "report",
      source: "report",
      state: "needs_input",
      text: "Which of the two formats do you want, JSON or TOML?",
    },
    { kind: "turn", source: "hook", phase: "end" },
    { kind: "turn", source: "transcript", phase: "end" },
    { kind: "status", source: "title", status: "idle" },
    screen({ reply: "asks" }),
  ]);
  await agents.run(20);

  await start("release-worker", "● The release is tagged; now I push it.");
  await agents.run(10);
  const question =
    "Do you want to proceed? · Bash command · git push --force origin main · This command requires approval";
  await agents.send("release-worker", [
    screen({
      reply: "pushes",
      dialog: { prompt: "permission", question },
      composer: "hidden",
      tail: ["Bash command", "git push --force origin main", "Do you want to proceed?", "❯ 1. Yes", "  2. No"],
    }),
  ]);
  await agents.run(20);

  await start("refactor-worker", "● I move the readers into a folder of their own.");
  agents.silent.add("refactor-worker");
  await agents.run(180);

  await start("feat-104-worker", "● I read the code and fix the failing test.");
  await agents.run(420);
}
