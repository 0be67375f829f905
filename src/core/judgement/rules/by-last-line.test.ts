import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const output = { kind: "output", source: "screen", bytes: 40 } as const;
const prints = (more: object) => screen({ busy: null, composer: "hidden", moving: false, prints: true, ...more });
const child = { kind: "process", source: "process", alive: true, children: 1, cpuMs: 0 } as const;

const PROMISES: Record<string, Step[]> = {
  "that names a limit is the limit after ten silent seconds": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { limit: true, text: "rate limit exceeded" } }) },
    { at: 9, expect: "starting" },
    { at: 11, expect: "rate_limited/limit" },
    { at: 20, signal: output },
    { at: 20, signal: prints({ reply: "b" }), expect: "starting" },
  ],
  "that states a failure is an error after half a minute": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: Cannot find module 'foo'" } }) },
    { at: 29, expect: "starting" },
    { at: 31, expect: "error" },
  ],
  "that states a failure is an error after minutes if a child process is left": [
    { at: 0, signal: output },
    { at: 0, signal: child },
    { at: 0, signal: prints({ failure: { cause: "api", text: "Error: 500" } }) },
    { at: 120, expect: "idle" },
    { at: 301, expect: "error/api" },
  ],
  "that states a failure is followed by work if a child process computes": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: x" } }) },
    { at: 5, signal: { ...child, childCpuMs: 0 } },
    { at: 295, signal: { ...child, childCpuMs: 200_000, cpuMs: 200_000 } },
    { at: 310, expect: "working" },
  ],
  "that is the completion marker is the end of the work": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ marker: true }) },
    { at: 31, expect: "complete" },
  ],
  "that states a failure is not believed while the agent that it runs is at work": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: x" } }) },
    { at: 5, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    { at: 60, expect: "working" },
  ],
  "that names a provider's refusal is the reason of an exit": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { cause: "auth", text: "Error: 401 Incorrect API key" } }) },
    { at: 1, signal: { kind: "exit", source: "process", code: 1, signal: null }, expect: "error/auth" },
  ],
  "that states a failure is no completion, whatever the exit code": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: pool exhausted" } }) },
    { at: 1, signal: { kind: "exit", source: "process", code: 0, signal: null }, expect: "error" },
  ],
  "is not the only one that explains an exit with an error": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { cause: "auth", text: "Authentication failed", earlier: true } }) },
    { at: 61, expect: "idle" },
    { at: 62, signal: { kind: "exit", source: "process", code: 1, signal: null }, expect: "error/auth" },
  ],
  "does not fail with the lines above it if the exit code is 0": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: x", earlier: true } }) },
    { at: 2, signal: { kind: "exit", source: "process", code: 0, signal: null }, expect: "complete" },
  ],
  "that states a failure leaves the exit code as the cause": [
    { at: 0, signal: output },
    { at: 0, signal: prints({ failure: { text: "Error: pool exhausted" } }) },
    { at: 1, signal: { kind: "exit", source: "process", code: 1, signal: null }, expect: "gone/exit_code" },
  ],
};

describe("the last line of an unknown program", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });
});
