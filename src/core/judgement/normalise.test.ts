import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorKey, infraOf, normaliseCall, normaliseResult } from "./normalise.js";

describe("normaliseResult", () => {
  const same: [why: string, a: string, b: string][] = [
    ["dates and times", "built at 2026-01-02T03:04:05Z", "built at 2026-11-12T13:14:15.123+02:00"],
    ["clock times", "[10:15:01] ready", "[10:15:09] ready"],
    ["weekday dates", "Mon Jan  5 10:11:12 ok", "Tue Feb 17 09:00:00 ok"],
    ["epoch times", "ts 1760000000", "ts 1760000099123"],
    ["durations", "done in 1.4s", "done in 12.75 s"],
    ["spelled durations", "took 3 minutes", "took 1 minute"],
    ["process ids", "spawned (pid 4711)", "spawned (pid 12)"],
    ["process groups and chunks", "Process Group PGID: 12, Chunk ID: 8f", "Process Group PGID: 4711, Chunk ID: a0"],
    ["uuids", "job 0b7e9a52-1c2d-4e5f-8a9b-0c1d2e3f4a5b", "job 1b7e9a52-1c2d-4e5f-8a9b-0c1d2e3f4a5c"],
    ["request ids", "request id: req_011CSabcdef", "request id: req_999XYabcdef"],
    ["session names", "still running (session amber-3)", "still running (session amber-44)"],
    ["attempt counters", "failed, attempt 3/10", "failed, attempt 4/10"],
    ["ordinal attempts", "the 3rd attempt failed", "the 4th attempt failed"],
    ["read footers", "body\n(read 3x)", "body\n(read 4x)"],
    ["temporary paths", "see /tmp/run-a1/out", "see /var/tmp/zz/out"],
    ["object addresses", "<Foo at 0x7f00aa11bb22>", "<Foo at 0x7f00aa11cc33>"],
    [
      "ids of sent items",
      '{"chatId":"a","receipt":{"platformMessageId":"p1"},"pollId":"l1"}',
      '{"chatId":"a","receipt":{"platformMessageId":"p2"},"pollId":"l2"}',
    ],
    ["fields of a reply that are always new", '{"ok":true,"messageId":"m1"}', '{"ok":true,"messageId":"m2"}'],
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["whitespace", "a\n\n   b", "a b"],
  ];
  it.each(same)("removes %s", (_, a, b) => {
    expect(normaliseResult(a)).toBe(normaliseResult(b));
  });

  const other: [why: string, a: string, b: string][] = [
    ["a count", "12 files done", "13 files done"],
    ["a percentage", "41 %", "42 %"],
    ["a step", "step 3/10", "step 4/10"],
    ["a size", "12M log", "13M log"],
    ["a checksum", "d41d8cd98f00b204e9800998ecf8427e", "e41d8cd98f00b204e9800998ecf8427e"],
    ["a queue's next task", '{"taskId":17}', '{"taskId":18}'],
    ["another failing case", "FAIL case 3", "FAIL case 4"],
  ];
  it.each(other)("keeps %s", (_, a, b) => {
    expect(normaliseResult(a)).not.toBe(normaliseResult(b));
  });

  it("is bounded and reads both ends of a long text", () => {
    const long = (tail: string) => `head ${"word ".repeat(100_000)}${tail}`;
    expect(normaliseResult(long("x")).length).toBeLessThan(9000);
    expect(normaliseResult(long("one"))).not.toBe(normaliseResult(long("two")));
  });

  it("accepts any text and at most doubles its length", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        (text) => normaliseResult(text).length <= 2 * text.length + 64,
      ),
    );
  });
});

describe("errorKey", () => {
  const same: [why: string, a: string, b: string][] = [
    [
      "paths",
      "ENOENT: no such file or directory, open '/a/b.ts'",
      "ENOENT: no such file or directory, open '/c/d/e.md'",
    ],
    ["quoted arguments", 'unknown tool "glob"', 'unknown tool "lsdir"'],
    [
      "line numbers",
      "SyntaxError: invalid syntax (main.py, line 10)",
      "SyntaxError: invalid syntax (other.py, line 222)",
    ],
    ["file positions", "src/a.ts:10:5 error TS1005 expected", "lib/b.ts:7:1 error TS1005 expected"],
    ["addresses", "cannot fetch https://a.test/x?y=1", "cannot fetch http://b.test/"],
    ["lines around the error", "Exit code 2\nfatal: bad revision", "fatal: bad revision"],
    [
      "text that a daemon repeats",
      `failed on endpoint db (${"a1".repeat(32)})`,
      `failed on endpoint db (${"b2".repeat(32)})`,
    ],
    [
      "request ids in JSON",
      '{"message": "title is required", "requestId": "1a"}',
      '{"message": "title is required", "requestId": "2b"}',
    ],
  ];
  it.each(same)("is independent of %s", (_, a, b) => {
    expect(errorKey(a)).toBe(errorKey(b));
    expect(errorKey(a)).not.toBe("");
  });

  it("differs for two different errors", () => {
    expect(errorKey("permission denied: /a")).not.toBe(errorKey("no such file: /a"));
    expect(errorKey("error: expected 1 got 2")).not.toBe(errorKey("error: expected 3 got 4"));
  });

  it.each(["", "Exit code 1", "exit status 2", "Command failed with exit code 1", "  \n "])(
    "is empty for %j, which names no error",
    (text) => {
      expect(errorKey(text)).toBe("");
    },
  );
});

describe("a call", () => {
  const same: [what: string, a: string, b: string][] = [
    ["spaces", '{"command":"cat  a.css "}', '{"command":"\\tcat a.css\\n"}'],
    ["the id of a request", '{"team":"A","requestId":"1a"}', '{"team":"A","requestId":"2b"}'],
    [
      "a parameter that defeats caching",
      '{"url":"http://a/x?_ts=1718000006029"}',
      '{"url":"http://a/x?_ts=1718000013973"}',
    ],
    ["a count of tries", '{"prompt":"Fix it. (attempt 1)"}', '{"prompt":"Fix it. (attempt 2)"}'],
    ["the name of a scratch folder", '{"command":"python3 /tmp/tmpa5/p.py"}', '{"command":"python3 /tmp/tmped/p.py"}'],
    ["the spelling of a path", '{"path":"./src/a/./b.ts"}', '{"path":"src/../src/a/b.ts"}'],
  ];
  it.each(same)("is the same with other %s", (_, a, b) => {
    expect(normaliseCall(a)).toBe(normaliseCall(b));
  });

  it.each([
    ["folders", '{"command":"make","cwd":"/a"}', '{"command":"make","cwd":"/b"}'],
    ["days", '{"date":"2026-01-01"}', '{"date":"2026-01-02"}'],
    ["ids of things", '{"userId":"1"}', '{"userId":"2"}'],
    ["pages", '{"url":"http://a/x?page=1"}', '{"url":"http://a/x?page=2"}'],
  ])("is different with other %s", (_, a, b) => {
    expect(normaliseCall(a)).not.toBe(normaliseCall(b));
  });
});

describe("infraOf", () => {
  it.each([
    ["HTTP 429 Too Many Requests", "rate"],
    ["Error: rate limit exceeded, slow down", "rate"],
    ["API Error: 529 overloaded", "overload"],
    ["503 Service Unavailable", "overload"],
    ["connect ECONNREFUSED 127.0.0.1:80", "refused"],
    ["read ECONNRESET", "network"],
    ["curl: (6) Could not resolve host: x.test", "network"],
    ["401 Unauthorized", "auth"],
    ["TypeError: x is not a function", undefined],
    ["line 429: unexpected token", undefined],
    ["expected 500 items", undefined],
  ])("reads %j as %s", (text, infra) => {
    expect(infraOf(text)).toBe(infra);
  });
});
