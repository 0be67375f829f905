import { describe, expect, it } from "vitest";
import { StandardError } from "./standard-error.js";

describe("standard error of a headless run", () => {
  it("reports retries from whole lines only, without the stack below them", () => {
    const stderr = new StandardError();
    expect(stderr.push("Attempt 2 failed with status 500. Retr", 1)).toEqual([]);
    const rest = 'ying with backoff... _ApiError: {"code":500}\n    at async retrying attempt 3 (chunk.js:1)\n';
    expect(stderr.push(rest, 2)).toMatchObject([{ kind: "retry", at: 2, source: "stream", attempt: 2 }]);
    expect(stderr.push("Retrying in 3 s, attempt #4\n", 3)).toMatchObject([{ attempt: 4 }]);
  });

  it("reports a rate limit by the class of the failure", () => {
    const stderr = new StandardError();
    const [signal] = stderr.push("Attempt 1 failed with status 429. Retrying with backoff...\n", 1);
    expect(signal).toMatchObject({ kind: "retry", infra: "rate" });
  });

  it("does not read other text as a retry", () => {
    const stderr = new StandardError();
    for (const line of ["YOLO mode is enabled.", "attempt 3 of the build", "retrying", "x".repeat(100_000)]) {
      expect(stderr.push(`${line}\n`, 1)).toEqual([]);
    }
  });

  it("keeps the lowest line that explains a failed run", () => {
    const stderr = new StandardError();
    stderr.push("starting\nError: 401 invalid x-api-key\n    at main.js:1\n", 1);
    expect(stderr.lastWords(2, "UTC")).toMatchObject([{ kind: "error", cause: "auth", final: true }]);
    expect(new StandardError().lastWords(2, "UTC")).toEqual([]);
  });
});
