import { describe, expect, it } from "vitest";
import { agent } from "../../../test/support/loops.js";
import { START, screen } from "../../../test/support/steps.js";
import { createIncidentState } from "../../core/incidents/incident.js";
import { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { type WhyView, whyOf as whyWith } from "./why.js";

const whyOf = (judge: SessionJudge, now: number): WhyView => whyWith(judge, now, createIncidentState());

/** Signals with their seconds, judged after each. */
function story(...signals: [second: number, signal: Omit<Signal, "at">][]): SessionJudge {
  const judge = new SessionJudge(agent(), START);
  for (const [second, signal] of signals) {
    const at = START + second * 1000;
    judge.take([{ ...signal, at } as Signal], at);
    judge.judge(at);
  }
  return judge;
}

const working = { kind: "status", source: "title", status: "working" } as const;
const idle = { kind: "status", source: "title", status: "idle" } as const;

describe("why", () => {
  it("gives each piece of evidence its age and its source", () => {
    const call = { kind: "tool_start", source: "transcript", id: "t", tool: "Bash", class: "shell", call: "c" };
    const why = whyOf(
      story(
        [0, working],
        [2, screen({ busy: true, moving: true, reply: "words" })],
        [3, { ...call, subject: "npm test" } as Omit<Signal, "at">],
        [4, { kind: "output", source: "screen", bytes: 10 } as Omit<Signal, "at">],
        [5, { kind: "input", source: "human", by: "human", bytes: 1 } as Omit<Signal, "at">],
      ),
      START + 10_000,
    );
    expect(why.evidence).toEqual(
      expect.arrayContaining([
        { name: "turn", value: "active (decisive)", age_secs: 10, source: "title" },
        { name: "open tool", value: "Bash npm test", age_secs: 7, source: "transcript" },
        { name: "last activity", value: "reply text", age_secs: 8, source: "screen" },
        { name: "last output", value: "bytes", age_secs: 6, source: "screen" },
        { name: "human", value: "keys typed", age_secs: 5, source: "human" },
      ]),
    );
  });

  it("names rouse stop, not typed keys, as the user's part in an end", () => {
    const stop = { kind: "input", source: "human", by: "human", bytes: 0, quits: true, ordered: true };
    const end = { kind: "exit", source: "process", code: null, signal: 15 };
    const why = whyOf(
      story([0, working], [5, stop as Omit<Signal, "at">], [6, end as Omit<Signal, "at">]),
      START + 9000,
    );
    expect(why.evidence).toContainEqual({ name: "human", value: "ran `rouse stop`", age_secs: 4, source: "human" });
    expect(why.reasons).toEqual([
      "Stopped with `rouse stop` 4 s ago (human); the process exited 3 s ago (process), signal 15",
    ]);
  });

  it("names the open prompt, the limit and the error", () => {
    const prompt = { kind: "prompt", source: "hook", open: true, prompt: "permission", question: "Push?" };
    const limit = { kind: "limit", source: "transcript", level: "hit", text: "5-hour limit" };
    const error = { kind: "error", source: "transcript", cause: "api", final: true, digest: "d", text: "529" };
    const rows = whyOf(
      story(...[prompt, limit, error].map((signal): [number, Omit<Signal, "at">] => [0, signal as Omit<Signal, "at">])),
      START,
    ).evidence.map(({ name, value }) => `${name}: ${value}`);
    expect(rows).toEqual(
      expect.arrayContaining(["prompt: permission: Push?", "limit: 5-hour limit", "error: api: 529"]),
    );
  });

  it("says what would change the verdict, and when it is judged next", () => {
    const active = whyOf(story([0, working]), START);
    expect(active.changes).toEqual([
      expect.stringMatching(/^\d+ min without a new signal: .+$/),
      "new activity from any source, an open prompt, or the end of the turn",
    ]);
    expect(whyOf(story([0, working], [5, idle]), START + 5000).changes.at(-1)).toBe(
      "a new turn, or a prompt on the screen",
    );
  });

  it("gives the most recent part of the history in order", () => {
    const turns = Array.from({ length: 120 }, (_, n): [number, Omit<Signal, "at">] => [n * 5, n % 2 ? idle : working]);
    const { timeline } = whyOf(story(...turns), START + 600_000);
    expect(timeline.length).toBeLessThanOrEqual(40);
    expect(timeline.map(({ t }) => t)).toEqual(timeline.map(({ t }) => t).sort((a, b) => a - b));
  });

  it("quotes the requested number of last screen lines, without secrets and control bytes", () => {
    const secret = `sk-ant-api03-${"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY".repeat(3)}`;
    const judge = story([0, screen({ busy: true, moving: true, tail: ["one", `key ${secret}`, "three\u001b[2J"] })]);
    const quoting = (output_preview_lines: number): string[] => {
      judge.settings = { output_preview_lines };
      return whyOf(judge, START + 1000).preview;
    };
    expect(whyOf(judge, START + 1000).preview).toHaveLength(3);
    expect(quoting(2)).toEqual([`key ${"*".repeat(secret.length)}`, "three [2J"]);
    expect(quoting(0)).toEqual([]);
  });
});
