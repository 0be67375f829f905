import { describe, expect, it } from "vitest";
import type { SessionView } from "../../daemon/views/view.js";
import { burnText, statusText, whyText } from "../commands/status.js";
import { fitScreen } from "./redraw.js";
import { fitTo, textWidth } from "./width.js";

const NOW = Date.parse("2026-03-02T09:00:00Z");
const view = (fields: Partial<SessionView>): SessionView => ({
  name: "a",
  kind: "claude-code",
  session: "s",
  origin: "tmux",
  tags: [],
  workspace: null,
  task: null,
  pid: 1,
  state: "working",
  cause: null,
  move: "agent",
  question: null,
  level: "act",
  confidence: 1,
  since: "2026-03-02T07:40:00Z",
  until: null,
  doing: "",
  reasons: [],
  last_activity: "2026-02-21T09:00:00Z",
  last_output: null,
  tokens_per_hour: 123_400_000,
  cost_usd_per_hour: 0,
  cost_usd_24h: null,
  spend: null,
  healthy: true,
  unobserved: null,
  started_at: "2026-03-02T07:40:00Z",
  ended_at: null,
  ...fields,
});

describe("the width of a text in a terminal", () => {
  it.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["한국어", 6],
    ["ＡＢ", 4],
    ["🚀", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["❤️", 2],
    ["│─✻…", 4],
  ])("of %s is %d", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it.each(["日本語の名前", "🚀🚀🚀🚀", "abcdefgh", "aé日🚀b", ""])(
    "of %s is exactly the requested width after cutting or padding",
    (text) => {
      for (let width = 0; width < 20; width++) expect(textWidth(fitTo(text, width))).toBe(width);
    },
  );
});

describe("the table of agents", () => {
  it("says when an agent ended, before the reason", () => {
    const text = statusText(
      [view({ state: "complete", ended_at: "2026-03-02T08:55:00Z", reasons: ["done"] })],
      {},
      NOW,
    );
    expect(text).toMatch(/Ended 5 min ago\. done/);
  });

  it("shows an agent that was stopped as ended, and not as idle at its prompt", () => {
    const ended_at = "2026-03-02T07:41:00Z";
    expect(statusText([view({ state: "idle", ended_at })], {}, NOW)).toMatch(/ ended /);
    expect(statusText([view({ state: "idle" })], {}, NOW)).toMatch(/ idle /);
    expect(statusText([view({ state: "complete", ended_at })], {}, NOW)).toMatch(/ complete /);
  });

  it("includes the price if the program reports one", () => {
    expect(burnText(view({ tokens_per_hour: 12_345, cost_usd_per_hour: 1.5 }))).toBe("12k tokens, $1.50 per hour");
    expect(burnText(view({ tokens_per_hour: 800 }))).toBe("800 tokens per hour");
  });

  it("fits into 80 columns and shows every name in full, for any agents", () => {
    const agents = [
      view({ name: "日本語の長い名前のエージェント", task: "課題四十二番の続き", doing: "編集：ファイル.ts" }),
      view({ name: "👩‍👩‍👧‍👦-family-of-agents-with-a-long-name", state: "stuck", cause: "no_completion_signal" }),
      view({
        name: "x".repeat(64),
        state: "needs_input",
        cause: "confirmation",
        doing: "Do you want to go on? ".repeat(5),
      }),
    ];
    const lines = statusText(agents, { columns: 80 }, NOW).trimEnd().split("\n");
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^NAME +STATE +FOR$|^NAME +STATE$/);
    for (const { name } of agents) expect(lines.some((line) => line.startsWith(`${name} `))).toBe(true);
    expect(statusText(agents, {}, NOW), "a file has room for all").toContain(
      "Do you want to go on? ".repeat(5).trimEnd(),
    );
  });
});

describe("the table of agents in a narrow terminal", () => {
  const agents = [
    view({ name: "api", task: "issue-42", doing: "edits a file", state: "stuck", cause: "no_completion_signal" }),
    view({ name: "a-worker-with-a-long-name", task: "issue-43" }),
  ];

  const rowsOf = (columns: number): string[] => statusText(agents, { columns }, NOW).trimEnd().split("\n");

  it.each([80, 60, 40, 24])("of %d columns gives the reason lines of its own, in full", (columns) => {
    const question = "Do you want to run the database migration now? 1 Yes 2 No";
    const asking = [view({ name: "api", state: "needs_input", cause: "permission", question, doing: "Bash: migrate" })];
    const lines = statusText(asking, { columns }, NOW).trimEnd().split("\n");
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(columns >= 40 ? /^api .*needs_input\/permission/ : /^api +needs/);
    expect(lines.slice(2).join(" ").replace(/ +/g, " ").trim()).toBe(question);
  });

  it("cuts a reason after three lines, and one without a place to wrap at the width", () => {
    const endless = [view({ name: "a", doing: "x".repeat(300) }), view({ name: "b", doing: "many words ".repeat(50) })];
    const lines = statusText(endless, { columns: 60 }, NOW).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + 2 + 1 + 3 + 1);
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(60);
  });

  it("shows the cost if a program reports one", () => {
    const text = statusText([view({ cost_usd_24h: 1.5 }), view({ name: "b" })], { columns: 140 }, NOW);
    expect(text).toMatch(/COST/);
    expect(text).toMatch(/ \$1\.50\b/);
    expect(statusText([view({})], { columns: 140 }, NOW)).not.toMatch(/COST/);
  });

  it.each([
    [140, "NAME KIND STATE MOVE FOR LAST ACTIVITY TOK/H TASK DOING"],
    [110, "NAME STATE MOVE FOR LAST ACTIVITY TASK DOING"],
    [100, "NAME STATE MOVE FOR TASK DOING"],
    [90, "NAME STATE MOVE FOR TASK DOING"],
    [80, "NAME STATE FOR DOING"],
    [70, "NAME STATE FOR"],
    [50, "NAME STATE"],
  ])("of %d columns omits the least important columns, the reason never", (columns, titles) => {
    const lines = rowsOf(columns);
    expect(lines[0]?.split(/ +/).join(" ")).toBe(titles);
    expect(lines.join("\n")).toContain("edits a file");
    for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
  });

  it.each([40, 28, 20, 5])("of %d columns still shows every name in full", (columns) => {
    const lines = rowsOf(columns);
    for (const { name } of agents) expect(lines.some((line) => line.startsWith(name))).toBe(true);
  });

  it("that reports a width of 0 is treated like a file: nothing is cut", () => {
    expect(statusText(agents, { columns: 0 }, NOW)).toBe(statusText(agents, {}, NOW));
  });
});

describe("the explanation of a state", () => {
  const long = "a reason of many words ".repeat(8).trim();
  const why = {
    ...view({
      reasons: [long],
      state: "stuck",
      cause: "loop",
      unobserved: { since: "2026-03-02T08:00:00Z", reason: "r" },
    }),
    incidents: [],
    evidence: [
      { name: "turn", value: "runs", age_secs: 12, source: "title" },
      { name: "reply", value: long, age_secs: 200, source: "screen" },
    ],
    preview: [],
    changes: [long],
    timeline: [],
  } as unknown as Parameters<typeof whyText>[0];

  it("says when an agent that was stopped ended, and not that it is idle", () => {
    const stopped = { ...why, state: "idle" as const, cause: null, ended_at: "2026-03-02T07:41:00Z" };
    expect(whyText(stopped, {}, NOW)).toContain(`${why.name}: ended at `);
  });

  it("has no heading without content below it", () => {
    const text = whyText({ ...why, evidence: [], changes: [] }, {}, NOW);
    expect(text).not.toMatch(/Evidence|What would change|Last lines/);
    expect(whyText(why, {}, NOW)).toContain("\nEvidence\n");
  });

  it.each([50, 60, 80])("is wrapped between words at %d columns", (columns) => {
    const text = whyText(why, { columns }, NOW);
    for (const line of text.split("\n")) expect(textWidth(line), line).toBeLessThanOrEqual(Math.max(columns, 56));
    expect(text.replace(/\s+/g, " ").split(long)).toHaveLength(4);
    expect(text).toContain("  turn          runs  12 s ago, title\n");
  });

  it("is not wrapped in a file, and shows local clock times", () => {
    const text = whyText(why, {}, NOW);
    expect(text.split(`  ${long}`)).toHaveLength(4);
    expect(text).not.toContain("2026-03-02T");
  });
});

describe("a redrawn screen", () => {
  it.each([
    ["a\nb\nc\n", "", 3, "a\nb\nc"],
    ["a\nb\nc\n", "", 2, "a\nand 2 more lines"],
    ["a\nb\nc\n", "gone", 4, "a\nb\nc\ngone"],
    ["a\nb\nc\n", "gone", 3, "a\nand 2 more lines\ngone"],
  ])("of the text %j with the note %j shows on %d rows %j", (text, note, rows, shown) => {
    expect(fitScreen(text, note, rows)).toBe(shown);
  });
});
