import { describe, expect, it } from "vitest";
import { failureSignal, messageSignal, retrySignal } from "./conversation.js";

const NOW = Date.UTC(2030, 0, 1, 12);
const origin = { at: NOW, source: "stream" as const };

describe("messageSignal", () => {
  it("reports how the assistant's text closes, but not the user's", () => {
    expect(messageSignal(origin, {}, "assistant", "Which of the two files do you mean?").closing).toBe("question");
    expect(messageSignal(origin, {}, "user", "Which of the two files do you mean?")).not.toHaveProperty("closing");
  });

  it("finds the requested marker as a statement, but not as a mention", () => {
    const options = { marker: "<done/>" };
    expect(messageSignal(origin, options, "user", "Print <done/> when all is done.").marker).toBe(true);
    expect(messageSignal(origin, options, "assistant", "Ready. <done/>").marker).toBe(true);
    expect(messageSignal(origin, options, "assistant", "`<done/>` is not printed: two fail.").marker).toBeUndefined();
    expect(messageSignal(origin, {}, "assistant", "Ready. <done/>").marker).toBeUndefined();
  });

  it("recognises rouse's own prompts by their mark, but not an answer that quotes it", () => {
    expect(messageSignal(origin, {}, "user", "Please continue. [rouse]").own).toBe(true);
    expect(messageSignal(origin, {}, "user", "Please continue.").own).toBeUndefined();
    expect(messageSignal(origin, {}, "assistant", "You wrote [rouse].").own).toBeUndefined();
  });

  it("keeps a short end of a long text, without control bytes", () => {
    const { preview } = messageSignal(origin, {}, "assistant", `${"x".repeat(100_000)}\u001b[31mend`);
    expect(preview?.length).toBeLessThanOrEqual(200);
    expect(preview).toMatch(/end$/);
    expect(preview).not.toContain("\u001b");
  });
});

describe("failureSignal", () => {
  it("reports a rate limit on which the program gave up as a limit without a known end", () => {
    const signal = failureSignal(origin, {}, { status: 429, text: "Rate limit reached for requests" });
    expect(signal).toMatchObject({ kind: "limit", level: "hit" });
    expect(signal).not.toHaveProperty("until");
  });

  it("reports a limit with the time of its end", () => {
    const signal = failureSignal(origin, { zone: "UTC" }, { text: "You've hit your session limit · resets 3pm (UTC)" });
    expect(signal).toMatchObject({ kind: "limit", level: "hit", until: Date.UTC(2030, 0, 1, 15) });
  });

  it("reports a limit without a time rather than with a guess", () => {
    expect(failureSignal(origin, {}, { text: "The usage limit has been reached" })).not.toHaveProperty("until");
  });

  it("reports a retryable failure that was given up as an api error", () => {
    expect(failureSignal(origin, {}, { status: 529 })).toMatchObject({ kind: "error", cause: "api", final: true });
  });
});

describe("retrySignal", () => {
  it.each([
    ["rate", { status: 429 }],
    ["overload", { text: "Overloaded" }],
    ["refused", { text: "connect ECONNREFUSED 127.0.0.1:1" }],
    ["auth", { status: 401 }],
  ])("reports a retry because of %s", (infra, failure) => {
    expect(retrySignal(origin, {}, failure, { attempt: 2, nextAt: NOW + 5000 })).toMatchObject({
      kind: "retry",
      infra,
      attempt: 2,
      nextAt: NOW + 5000,
    });
  });

  it("reports a wait of hours as a limit that the program waits out", () => {
    const signal = retrySignal(origin, {}, { status: 429 }, { nextAt: NOW + 7_200_000 });
    expect(signal).toMatchObject({ kind: "limit", resumesItself: true, until: NOW + 7_200_000 });
  });
});

it("a prompt that is short enough to be typed again is kept whole on one line, without secrets", () => {
  const request = (text: string) => messageSignal({ at: 1, source: "transcript" }, {}, "user", text).request;
  expect(request("Fix the parser\n\n and run  the tests")).toBe("Fix the parser and run the tests");
  expect(request("x".repeat(501))).toBeUndefined();
  expect(request("use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG")).not.toContain("abcdefghij");
  expect(request("Please continue where you stopped. [rouse]")).toBeUndefined();
});
