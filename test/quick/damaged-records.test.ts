/** Lines of one moment that were swapped, copied or damaged do not change what rouse says about a transcript. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { State } from "../../src/core/states.js";
import { parseRecord } from "../../src/readers/records/json.js";
import { recordTime } from "../../src/readers/records/record-reader.js";
import { SOURCE_NAMES } from "../../src/replay/case-folder.js";
import { replayTranscript } from "../../src/replay/replay-records.js";
import { ClaudeLines } from "../support/claude-lines.js";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");
const RUNS = process.env.ROUSE_FULL === "1" ? 500 : 25;
const SWAPPED_MS = 200;

const work = new ClaudeLines("2.1.210").mode(0, "default").prompt(0, "Fix the tests.").queue(1, "enqueue");
for (let n = 0; n < 6; n++) {
  work
    .calls(5 + n * 20, `read${n}`, "Read", { file_path: `/repo/f${n}.ts` })
    .result(5.1 + n * 20, `read${n}`, `export const n = ${"abcdef"[n]};`)
    .calls(8 + n * 20, `test${n}`, "Bash", { command: `npm test f${n}` })
    .result(14 + n * 20, `test${n}`, "1 failed", {}, true);
}
work.queue(120, "dequeue").says(130, "All tests pass now.").turnEnds(130.1).until(200);

const codex = (t: number, type: string, payload: object): string =>
  JSON.stringify({ timestamp: new Date(Date.parse("2026-03-02T09:00:00Z") + t * 1000).toISOString(), type, payload });
const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is fixed." }] };
const turn = [
  codex(0, "event_msg", { type: "task_started" }),
  codex(0.1, "event_msg", { type: "user_message", message: "Fix the test." }),
  codex(9, "response_item", answer),
  codex(9.1, "event_msg", { type: "task_complete", last_agent_message: "It is fixed." }),
];

const FILES: Readonly<Record<string, string>> = {
  "work of Claude Code": work.text,
  "a turn of Claude Code": readFileSync(join(FIXTURES, "cases/claude/normal/transcript-1.jsonl"), "utf8"),
  "a turn of Codex": turn.join("\n"),
  "a loop of Codex": readFileSync(join(FIXTURES, "cases/codex/loop-identical/transcript-1.jsonl"), "utf8"),
  "a long command of Codex": readFileSync(join(FIXTURES, "cases/codex/long-bash/transcript-1.jsonl"), "utf8"),
  "a session of Copilot CLI": readFileSync(join(FIXTURES, "records/copilot/events-approved.jsonl"), "utf8"),
  "a chat of Gemini CLI": readFileSync(join(FIXTURES, "records/gemini/session-done.jsonl"), "utf8"),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rouse-damaged-"));
});
afterAll(() => rm(folder, { recursive: true }));

const PROBLEMS: ReadonlySet<State> = new Set<State>(["stuck", "error", "needs_input", "rate_limited", "gone"]);

async function judged(lines: readonly string[]): Promise<{ last: string; problems: Set<string> }> {
  const path = join(folder, "lines.jsonl");
  await writeFile(path, `${lines.join("\n")}\n`);
  const { timeline } = await replayTranscript(path, { sources: new Set(SOURCE_NAMES), zone: "UTC" });
  const nameOf = ({ state, cause }: (typeof timeline)[number]): string => `${state}/${cause}`;
  const last = timeline.at(-1);
  return {
    last: last ? nameOf(last) : "",
    problems: new Set(timeline.filter(({ state }) => PROBLEMS.has(state)).map(nameOf)),
  };
}

const timeOf = (line: string): number => recordTime(parseRecord(line)) ?? Number.NaN;

/** What happens to a line: nothing, a copy, a swap with the next line, noise before it, or a copy three lines later. */
function damage(lines: readonly string[], choices: readonly number[]): string[] {
  const damaged: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = [lines[at] ?? "", lines[at + 1] ?? ""];
    const choice = choices[at % choices.length];
    if (choice === 1) damaged.push(line, line);
    else if (choice === 2 && Math.abs(timeOf(next) - timeOf(line)) <= SWAPPED_MS) {
      damaged.push(next, line);
      at++;
    } else if (choice === 3) damaged.push('{"type": "assi', "\u0000\u0007", line);
    else damaged.push(line);
    if (choices[(at + 3) % choices.length] === 4) damaged.push(lines[Math.max(0, at - 3)] ?? "");
  }
  return damaged;
}

describe.each(Object.entries(FILES))("%s", (_, text) => {
  it("is judged the same with lines that are swapped, copied or damaged", { timeout: 120_000 }, async () => {
    const lines = text.trim().split("\n");
    const right = await judged(lines);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 5, maxLength: 60 }), async (choices) => {
        const { last, problems } = await judged(damage(lines, choices));
        expect(last).toBe(right.last);
        expect([...problems].filter((problem) => !right.problems.has(problem))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
