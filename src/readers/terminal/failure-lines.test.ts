import { describe, expect, it } from "vitest";
import { failureIn, lastFailure, RepeatedFailures } from "./failure-lines.js";
import { rowOf } from "./row.js";

describe("a line that states a failure", () => {
  it.each([
    ["Error: Cannot find module 'foo'", {}],
    ["TypeError: x is not a function", {}],
    ["[agent] Error: 401 Incorrect API key provided", { cause: "auth" }],
    ["2026-03-02T09:00:00Z ERROR request to the model failed", {}],
    ["npm ERR! code ELIFECYCLE", {}],
    ["npm error Missing script: build", {}],
    ["Build failed with exit code 1", {}],
    ["✖ Authentication Failed", {}],
    ["fatal: not a git repository", {}],
    ["✗ Error: connect ECONNREFUSED 127.0.0.1:8080", { cause: "unreachable" }],
    ["rate limit exceeded", { isLimit: true }],
    ["Rate limited, retrying later", { isLimit: true }],
    ["HTTP 429", { isLimit: true }],
    ["API Error: 429 too many requests", { isLimit: true }],
    ["Error: 529 overloaded_error", { isLimit: true }],
    ["overloaded", { isLimit: true }],
    ["claude: You've hit your session limit", { isLimit: true }],
    ["Error: insufficient_quota, check your plan and billing details", { isLimit: false, cause: "billing" }],
    ["Error: 500 the service had an internal server error", { isLimit: false, cause: "api" }],
    ["401 Incorrect API key.", { isLimit: false, cause: "auth" }],
    ["Error Incorrect API key.", { isLimit: false, cause: "auth" }],
    ["░░░░░░░░░░ 0% 0/2 429 Rate limit reached.", { isLimit: true }],
    ["Request timed out.", { isLimit: false, cause: "api" }],
    ["Connection error.", { isLimit: false, cause: "api" }],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', { isLimit: true }],
    ['client: {"error": {"code": 401, "message": "Incorrect API key provided"}}', { isLimit: false, cause: "auth" }],
  ])("is recognised: %s", (line, found) => {
    expect(failureIn(line)).toMatchObject(found);
  });

  it.each([
    "I added a rate limit to the API and tests for HTTP 429.",
    "The function returns an error if the file is missing.",
    "0 errors, 0 warnings",
    '{"type":"result","error":null,"message":"rate limit: 4998 remaining"}',
    "Error handling is done in src/error.ts",
    "Processing file 429 of 500...",
    "500 Files changed",
    "Error Handling",
    "- Error: is a prefix that the log uses",
    "✓ fails with Error: too many requests",
    "Running: npm run build",
    "All tests passed",
    "The build that failed earlier is fixed now.",
    "Authentication failed tests now pass, and the login is required.",
  ])("is not recognised by words alone: %s", (line) => {
    expect(failureIn(line)).toBeNull();
  });

  it("counts only as the last line, with what belongs to it below", () => {
    const last = (...rows: string[]) => lastFailure(rows.map(rowOf), rows.length)?.text;
    expect(last("start", "Error: no answer", "    at main (index.js:3:1)", "")).toBe("Error: no answer");
    expect(last("Error: Cannot find module 'foo'", "npm ERR! code 1", "npm ERR! path /tmp")).toBe(
      "Error: Cannot find module 'foo'",
    );
    expect(last("Error: no answer", "Continuing with the next file")).toBeUndefined();
    expect(last("Error: 401 Incorrect API key", "done.")).toBe("Error: 401 Incorrect API key");
    expect(last("Error: no answer", "  status: 429,", "  error: {", "    type: 'rate_limit'")).toBe("Error: no answer");
  });
});

describe("a failure that repeats", () => {
  const countOf = (lines: string[], seconds = 8): number => {
    const failures = new RepeatedFailures();
    const counts = new Map<string, number>();
    for (const [n, line] of lines.entries())
      for (const { key } of failures.take([line], n * seconds * 1000)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };
  const times = (n: number, ...lines: string[]): string[] => Array.from({ length: n }, () => lines).flat();

  it("is counted if nothing new is printed between", () => {
    expect(countOf(times(6, "Error: pool exhausted"))).toBe(6);
    expect(countOf(times(6, "Iteration 1", "Error: pool exhausted", "retry in 8s"))).toBe(5);
    const attempts = Array.from({ length: 6 }, (_, n) => [`attempt ${n}`, "Error: pool exhausted"]).flat();
    expect(countOf(attempts)).toBeGreaterThanOrEqual(5);
  });

  it("is not counted across a new line, or a number that grows", () => {
    const files = Array.from({ length: 8 }, (_, n) => [`Processing file ${n} of 100...`, "Error: bad encoding"]);
    expect(countOf(files.flat())).toBe(1);
  });

  it("is counted once for lines that come together", () => {
    expect(countOf(times(9, "Error: expected 1"), 0.1)).toBe(1);
  });

  it("is a retry in any words if it is a provider's, from the second time on; a refused key from the third", () => {
    const infraOf = (lines: string[], seconds = 8) => {
      const failures = new RepeatedFailures();
      return lines.flatMap((line, n) => failures.take([line], n * seconds * 1000)).map(({ infra }) => infra ?? null);
    };
    const again = (line: string) => ["Translating a.md", "Asking the model", ...times(3, line, "Asking the model")];
    expect(infraOf(again("Error: 429 rate limit exceeded"))).toEqual(["rate", "rate"]);
    expect(infraOf(again("Error: 500 Internal Server Error"))).toEqual([null, "overload", "overload"]);
    expect(infraOf(again("Error: Incorrect API key provided"))).toEqual([null, null, "auth"]);
    expect(infraOf(again("Error: pool exhausted"))).toEqual([null, null, null]);
    expect(infraOf(again("Error: 429 rate limit exceeded"), 0.1)).toEqual([]);
    const moves = [1, 2, 3].flatMap((n) => [`Translating ${n}.md`, "Error: 429 rate limit exceeded"]);
    expect(infraOf(moves)).toEqual([]);
  });
});
