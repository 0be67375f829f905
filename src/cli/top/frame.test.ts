import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentView, minutesAgo, VIEWS_NOW as NOW } from "../../../test/support/agent-views.js";
import { STATES, type State } from "../../core/states.js";
import type { SessionView } from "../../daemon/views/view.js";
import { textWidth } from "../text/width.js";
import { frameOf } from "./frame.js";
import { helpPage } from "./help-page.js";
import { emptyModel, listRows, type TopModel } from "./model.js";

const slots = (...parts: [State | null, number][]): (State | null)[] =>
  parts.flatMap(([state, n]) => Array(n).fill(state));

const FLEET: readonly SessionView[] = [
  agentView({
    name: "api-refactor",
    state: "needs_input",
    cause: "permission",
    question: "Do you want to run the database migration? 1. Yes 2. No",
    reasons: ["A permission prompt has been open for 12 min (screen)"],
    cost_usd_24h: 3.2,
  }),
  agentView({
    name: "billing",
    state: "stuck",
    cause: "loop",
    since: minutesAgo(31),
    reasons: ["The same call with the same result in 6 rounds (transcript): npm test; no file changed since 08:14"],
  }),
  agentView({
    name: "docs",
    state: "rate_limited",
    cause: "limit",
    until: minutesAgo(-90),
    reasons: ["Reached a usage limit 40 min ago (screen)"],
  }),
  agentView({
    name: "build",
    state: "gone",
    cause: "crash",
    ended_at: minutesAgo(4),
    reasons: ["The process exited 4 min ago (process), signal 9"],
  }),
  agentView({ name: "web", doing: "Bash: npm test", tokens_per_hour: 50_000 }),
  agentView({ name: "parser", state: "waiting", cause: "tool", doing: "Bash: npm run build" }),
  agentView({ name: "lint", state: "complete", reasons: ["The turn ended 82 s ago (transcript)"] }),
];

const model = (more: Partial<TopModel> = {}): TopModel => ({
  ...emptyModel(false),
  agents: FLEET,
  strips: new Map([
    ["api-refactor", slots([null, 20], ["working", 20], ["waiting", 4], ["needs_input", 4])],
    ["billing", slots(["idle", 24], ["working", 22], ["stuck", 2])],
    ["docs", slots(["working", 40], ["rate_limited", 8])],
    ["build", slots([null, 40], ["unknown", 4], ["working", 3], ["gone", 1])],
  ]),
  handled: new Map([["build", "Acknowledged"]]),
  ...more,
});

const WHY = [
  "billing: stuck/loop since 08:29 (confidence 0.91)",
  "  The same call with the same result in 6 rounds",
  "",
  "Evidence",
  ...Array.from(
    { length: 60 },
    (_, n) =>
      `  line ${n} of the evidence that explains the verdict in more words than fit into eighty columns of a terminal`,
  ),
];

const GOLDEN: readonly [string, TopModel][] = [
  ["list", model()],
  ["healthy-group", model({ group: 5 })],
  [
    "selected-and-notice",
    model({ selected: "billing", notice: { text: "Acknowledged loop of billing.", isBad: false, at: NOW - 4000 } }),
  ],
  ["filter", model({ filter: "bui", input: { kind: "filter", label: "Filter:", text: "bui", about: "" } })],
  [
    "recover",
    model({
      selected: "billing",
      input: { kind: "recover", label: "Would interrupt billing. Recover now? (y/n)", text: "", about: "billing" },
    }),
  ],
  ["daemon-gone", model({ goneAt: NOW - 95_000 })],
  ["no-agents", emptyModel(false)],
  ["why", model({ page: { kind: "why", about: "billing", title: "billing: why", lines: WHY, offset: 0 } })],
  ["help", model({ page: helpPage() })],
];

describe("a frame of rouse top", () => {
  const sizes = [
    [80, 24],
    [200, 50],
    [20, 12],
  ] as const;

  it.each(
    GOLDEN.flatMap(([name, shown]) =>
      sizes.map((size) => [`${name} at ${size.join("x")}`, name, shown, size] as const),
    ),
  )("of %s is the golden one", (_, name, shown, [width, height]) => {
    const text = `${frameOf(shown, { width, height }, NOW)
      .map((line) => line.trimEnd())
      .join("\n")}\n`;
    const file = join(import.meta.dirname, "..", "..", "..", "test", "frames", `${name}.${width}x${height}.txt`);
    if (process.env.GOLDEN === "rewrite") writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  it("lists agents that need the user first, the healthy ones as a number, and acknowledged ones after the open ones", () => {
    expect(
      listRows(model()).map((row) => (row.kind === "agent" ? row.agent.name : `${row.agents.length} healthy`)),
    ).toEqual(["api-refactor", "billing", "docs", "build", "3 healthy"]);
  });

  it("keeps the selected agent on the screen, whatever the number of agents", () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      agentView({ name: `agent-${n}`, state: "stuck", cause: "loop", reasons: ["a reason ".repeat(20)] }),
    );
    const sized = fc.record({ width: fc.integer({ min: 30, max: 200 }), height: fc.integer({ min: 9, max: 60 }) });
    fc.assert(
      fc.property(fc.nat(299), sized, (n, size) => {
        const lines = frameOf(model({ agents: many, selected: `agent-${n}` }), size, NOW);
        expect(lines.some((line) => line.startsWith(`> agent-${n} `))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

/** Everything that a terminal could take for more than a character. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
const HOSTILE = [
  "日本語の名前のエージェント",
  "🚀👩‍👩‍👧‍👦❤️",
  "\u202eevil\u2066 name",
  "\u001b[2J\u001b]0;title\u0007",
  "e\u0301\u0301\u0301",
  "\r\nline\ttab\u0000",
  "\u0600\u0601ab",
  "x".repeat(300),
];
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ maxLength: 20 }),
);
const agents = fc.array(
  fc.record({
    name: text,
    kind: text,
    state: fc.constantFrom(...STATES),
    cause: text,
    question: fc.option(text),
    doing: text,
    reason: text,
    task: text,
  }),
  { maxLength: 8 },
);

describe("no agent can break a frame of rouse top:", () => {
  const expectSafe = (lines: readonly string[], width: number, height: number): void => {
    expect(lines).toHaveLength(height);
    for (const line of lines) {
      expect(textWidth(line), JSON.stringify(line)).toBeLessThanOrEqual(width);
      expect(line.replace(/\u001b\[\d{0,2}m/g, ""), JSON.stringify(line)).not.toMatch(UNSAFE);
    }
  };

  it("no line is wider than the terminal or has a control byte, whatever names and reasons contain", () => {
    const pages = fc.option(
      fc.record({ title: text, lines: fc.array(text, { maxLength: 10 }), offset: fc.integer({ min: -5, max: 30 }) }),
    );
    const size = fc.record({ width: fc.integer({ min: 1, max: 220 }), height: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(agents, size, pages, text, fc.boolean(), (given, { width, height }, page, typed, isColoured) => {
        const views = given.map(({ reason, ...one }) =>
          agentView({ ...one, cause: one.cause as never, reasons: [reason] }),
        );
        const shown: TopModel = {
          ...model({ agents: views, selected: views[0]?.name ?? null, filter: typed.slice(0, 1) }),
          isColoured,
          page: page && { ...page, kind: "why", about: views[0]?.name ?? null },
          input: typed.length % 2 === 0 ? { kind: "answer", label: `Type to ${typed}`, text: typed, about: "" } : null,
          notice: { text: typed, isBad: true, at: NOW },
        };
        expectSafe(frameOf(shown, { width, height }, NOW), width, height);
      }),
      { numRuns: process.env.ROUSE_FULL ? 5000 : 400 },
    );
  });

  it("also with a megabyte of text in every field", () => {
    const long = "x日\u001b[31m\u202e🚀 ".repeat(120_000);
    const agent = agentView({
      name: long,
      state: "stuck",
      cause: "loop",
      reasons: [long],
      question: long,
      doing: long,
      task: long,
    });
    const shown = model({ agents: [agent], selected: long });
    expectSafe(frameOf(shown, { width: 80, height: 24 }, NOW), 80, 24);
    expectSafe(
      frameOf(
        { ...shown, page: { kind: "logs", about: long, title: long, lines: [long, long], offset: -1 } },
        { width: 80, height: 24 },
        NOW,
      ),
      80,
      24,
    );
  });
});
