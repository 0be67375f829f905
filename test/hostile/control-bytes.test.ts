import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sanitize, sanitizedJson } from "../../src/core/text/sanitize.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { rouse } from "../support/rouse.js";

const FULL = process.env.ROUSE_FULL === "1";
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-control-"));
  const json = JSON.stringify;
  const at = (i: number): string => new Date(1767614400000 + i * 1000).toISOString();
  const header = '{"version":2,"width":120,"height":40,"timestamp":1767614400}\n';
  const row = (n: number, text: string): string => `\u001b[${n};1H${text}`;
  const dialog = [
    row(30, "─".repeat(120)),
    row(31, ` Bash ${EVIL}`),
    row(32, ` Do you want to ${EVIL} proceed?`),
    row(33, " ❯ 1. Yes"),
    row(34, "   2. No"),
  ].join("");
  const folder = join(root, "cases", `evil\u001b]0;x\u0007\u202e\u009b`);
  mkdirSync(folder, { recursive: true });
  const meta = {
    agent: "claude",
    mode: "tui",
    t_end: 90,
    timeline: [
      [0, `working${EVIL}`],
      [1, "working"],
      [5, "done"],
    ],
  };
  writeFileSync(join(folder, "meta.json"), json(meta));
  const events = [
    dialog,
    `\u001b]0;✳ ${EVIL}\u0007`,
    `\u001b]7501;{"status":"blocked","message":${json(EVIL)}}\u0007`,
    `\u001b]7501;blocked;${EVIL}\u0007`,
    EVIL,
    `\u001b[2J${row(1, `● ${EVIL}: which one do you want?`)}${row(3, "─".repeat(60))}${row(4, "❯")}${row(5, "─".repeat(60))}`,
  ];
  writeFileSync(
    join(folder, "session.cast"),
    header + events.map((data, i) => `${json([i * 8 + 1, "o", data])}\n`).join(""),
  );
  const records = [
    { type: "user", uuid: "a", sessionId: "s", timestamp: at(1), message: { role: "user", content: EVIL } },
    {
      type: "assistant",
      uuid: "b",
      sessionId: "s",
      timestamp: at(2),
      message: {
        role: "assistant",
        id: "m",
        content: [{ type: "tool_use", id: EVIL, name: EVIL, input: { command: EVIL, file_path: EVIL } }],
      },
    },
    {
      type: "user",
      uuid: "c",
      sessionId: "s",
      timestamp: at(3),
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: EVIL, is_error: true, content: EVIL }] },
    },
    {
      type: "assistant",
      uuid: "d",
      sessionId: "s",
      timestamp: at(4),
      isApiErrorMessage: true,
      error: EVIL,
      message: { role: "assistant", id: "n", content: [{ type: "text", text: `API Error: 401 ${EVIL}` }] },
    },
    { type: EVIL, uuid: "e", sessionId: "s", timestamp: at(5), message: EVIL },
    {
      type: "assistant",
      uuid: "f",
      sessionId: "s",
      timestamp: at(6),
      message: {
        role: "assistant",
        id: "o",
        stop_reason: "end_turn",
        content: [{ type: "text", text: `Should I delete ${EVIL} or keep it?` }],
      },
    },
  ];
  writeFileSync(join(folder, "transcript-1.jsonl"), records.map((record) => `${json(record)}\n`).join(""));
  writeFileSync(
    join(folder, "transcript-times.jsonl"),
    records.map((r, i) => `${json({ t: i + 1, file: EVIL, lines: [{ type: r.type, ts: r.timestamp }] })}\n`).join(""),
  );
  writeFileSync(
    join(folder, "hooks.jsonl"),
    ["PermissionRequest", "Notification", "StopFailure", EVIL]
      .map(
        (name, i) =>
          `${json({ t: i + 20, hook_event_name: name, message: EVIL, tool_name: EVIL, tool_input: { command: EVIL }, error: EVIL })}\n`,
      )
      .join(""),
  );
  cpSync(join(folder, "transcript-1.jsonl"), join(root, "transcript.jsonl"));
  writeFileSync(
    join(root, "events.jsonl"),
    `${json({ id: EVIL, events: Array.from({ length: 30 }, (_, i) => ({ t: i, type: "tool", tool: EVIL, name: EVIL, args: { x: EVIL }, result: EVIL, error: EVIL })) })}\n`,
  );
  writeFileSync(join(root, `bad\u001b[31m\u202e.cast`), "x");
  writeFileSync(join(root, "profile.json"), json({ id: EVIL, [EVIL]: EVIL }));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the command line", () => {
  it.each([
    ["replay", "CASES"],
    ["replay", "--json", "CASES"],
    ["replay", "--sources", "screen", "CASES"],
    ["replay", "--json", "--sources", "hooks", "CASES"],
    ["replay", "--transcript", "/transcript.jsonl"],
    ["replay", "--events", "/events.jsonl"],
    ["replay", "--json", "--events", "/events.jsonl"],
    ["replay", "/bad\u001b[31m\u202e.cast"],
    ["replay", "/nowhere\u001b]0;x\u0007\u009b"],
    ["replay", "--profile", "/profile.json", "CASES"],
    ["replay", "--sources", "\u001b[31mscreen", "CASES"],
    ["replay", "--\u001b[31mno-such-option"],
    ["\u001b[31mno-such-command"],
    ["eval", "--worst", "CASES"],
    ["eval", "--json", "CASES"],
    ["eval", "/bad\u001b[31m\u202e.cast"],
  ])("prints no control byte: %j %j %j %j", (...args) => {
    const { stdout, stderr } = rouse(
      args.map((arg) => (arg === "CASES" ? join(root, "cases") : arg.startsWith("/") ? join(root, arg) : arg)),
    );
    expect(stdout + stderr).not.toBe("");
    for (const text of [stdout, stderr])
      expect(UNSAFE.exec(text)?.[0] ?? "", JSON.stringify(text.slice(0, 2000))).toBe("");
  });
});

describe("plain", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((codes) => String.fromCharCode(...codes)),
    fc.constant(EVIL),
  );
  const numRuns = FULL ? 200_000 : 2000;

  it("leaves nothing unsafe in any text, wherever it is cut", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 300 }), (input, max) => {
        const out = sanitize(input, max);
        return !UNSAFE.test(out) && !out.includes("\n") && out.length <= max;
      }),
      { numRuns },
    );
  });

  it("as JSON loses nothing and shows nothing unsafe", () => {
    fc.assert(
      fc.property(text, (input) => {
        const out = sanitizedJson({ input });
        expect(JSON.parse(out)).toEqual({ input });
        return !UNSAFE.test(out);
      }),
      { numRuns },
    );
  });
});
