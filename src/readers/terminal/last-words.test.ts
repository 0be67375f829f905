import { describe, expect, it } from "vitest";
import { lastWords } from "./last-words.js";
import { rowOf } from "./row.js";
import type { ScreenText } from "./screen-text.js";

const no = (): boolean => false;

/** The reason on a screen; rows that begin with "red:" are drawn in red. */
function reasonOf(...rows: string[]) {
  const texts = rows.map((row) => row.replace(/^red:/, ""));
  const isRed = (y: number): boolean => rows[y]?.startsWith("red:") === true;
  const screen: ScreenText = {
    rows: texts.map(rowOf),
    tinted: isRed,
    redFrame: isRed,
    muted: no,
    backed: no,
    cursor: no,
    ghost: no,
    isPlain: no,
  };
  return lastWords(screen, rows.length);
}

const TRACE = [
  "    at async ask (file:///opt/it/dist/cli-mBkMs.mjs:121:1516",
  "9)",
  "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  "    at async Promise.all (index 0)",
];
const DUMP = [
  "  httpResponse: {",
  "    requestId: '',",
  "    status: 401,",
  "    body: {",
  "      error: {",
  "        type: 'invalid_request_error',",
  "        message: 'Incorrect API key.'",
  "      }",
  "    }",
  "  }",
  "}",
  "",
  "Node.js v20.20.2",
];

describe("the reason of a failed program", () => {
  it.each([
    [
      "a list of causes",
      [
        "Error: request failed",
        "",
        "Caused by:",
        "    0: the model gave no reply",
        "    1: connection refused (os error 111)",
      ],
      { text: "Error: request failed: connection refused (os error 111)", cause: "unreachable" },
    ],
    [
      "one cause",
      ["Error: request failed", "", "Caused by:", "    invalid api key", "", "Run with --debug for details."],
      { text: "Error: request failed: invalid api key", cause: "auth" },
    ],
    [
      "causes with their stack traces",
      [
        'Exception in thread "main" agent.AskError: no reply',
        "    at agent.Main.main(Main.java:12)",
        "Caused by: java.net.ConnectException: Connection refused",
        "    at java.base/sun.nio.ch.Net.connect(Net.java:100)",
        "    ... 12 more",
      ],
      {
        text: 'Exception in thread "main" agent.AskError: no reply: java.net.ConnectException: Connection refused',
        cause: "unreachable",
      },
    ],
    [
      "other rows",
      ["Error: request failed", "", "Files:", "    0: connection refused.txt"],
      { text: "Error: request failed" },
    ],
  ])("includes the last cause below it: %s", (_, rows, reason) => {
    const { text, cause } = reasonOf(...rows) ?? {};
    expect({ text, ...(cause && { cause }) }).toEqual(reason);
  });

  it.each([
    [
      "above a stack trace, a version and an address for reports",
      [
        "◇  Analyzed",
        "✖ Incorrect API key.",
        ...TRACE,
        "",
        "    tool v3.4.0",
        "",
        "    Please open a Bug report:",
        "    https://example.com/issues",
      ],
      { text: "Incorrect API key.", cause: "auth" },
    ],
    [
      "above a stack trace without any sign of its own",
      ["start", "The model gave no answer", ...TRACE],
      { text: "The model gave no answer" },
    ],
    [
      "in a heading and the line below it, above advice",
      [
        "◇  ✖ Failed to generate it",
        "│",
        "└",
        "red:✖ Service Unavailable",
        "  The endpoint is temporarily unavailable.",
        "",
        "  Suggestion: Please try again.",
      ],
      { text: "Service Unavailable The endpoint is temporarily unavailable.", cause: "api" },
    ],
    [
      "below a heading that is only a label",
      ["red:✖ Error", "  Connection error.", "", "  Suggestion: Run `it setup`."],
      { text: "Connection error.", cause: "api" },
    ],
    [
      "in a cause below the heading",
      [
        "TypeError: fetch failed",
        ...TRACE,
        "  [cause]: Error: connect ECONNREFUSED 127.0.0.1:1",
        "      at TCPConnectWrap.afterConnect (node:net:1611:16) {",
        "    code: 'ECONNREFUSED',",
        "    port: 1",
        "  }",
        "}",
      ],
      { text: "TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:1", cause: "unreachable" },
    ],
    ["in an object whose heading has scrolled away", DUMP, { text: "Incorrect API key.", cause: "auth" }],
    [
      "in an object on one line",
      ["  status: 500,", "  body: {", "    error: { type: 'server_error', message: 'It had an error.' }", "  }", "}"],
      { text: "It had an error.", cause: "api" },
    ],
    [
      "above the remarks of npm",
      [
        "Model error: 429 Too Many Requests",
        "",
        "npm error Lifecycle script `start` failed with error:",
        "npm error code 1",
        "npm error path /opt/it",
      ],
      { text: "Model error: 429 Too Many Requests", isLimit: true },
    ],
    [
      "in red, below other output",
      ["start", "red:The key was not accepted", "  trace: /tmp/it/trace.md"],
      { text: "The key was not accepted" },
    ],
    [
      "by the name of an error in a sentence",
      [
        "it: error",
        "  output: /tmp/x.md",
        "request to http://127.0.0.1:1/v1 failed, reason: connect ECONNREFUSED 127.0.0.1:1",
      ],
      { cause: "unreachable" },
    ],
    ["by its words alone", ["Could not read the file", "Usage: it FILE"], { text: "Could not read the file" }],
    [
      "among the remarks of npm if there is nothing else",
      ["npm error Missing script: x"],
      { text: expect.stringContaining("Missing") },
    ],
  ])("is found %s", (_, rows, reason) => {
    expect(reasonOf(...rows)).toMatchObject(reason);
  });

  it("is the last one, and of several lines of one error the first", () => {
    expect(reasonOf("✖ Error: a first one", "", "✖ Error: no answer", "Error: no retry left")).toMatchObject({
      text: "Error: no answer",
    });
  });

  it("has no cause if it is one result of a list", () => {
    const tests = ["✓ logs in", "✗ returns 429 Too Many Requests if a rate limit is reached", "✓ logs out"];
    expect(reasonOf(...tests)).toEqual({ isLimit: false, isLast: false, text: expect.stringContaining("returns 429") });
    expect(reasonOf("red:- 429 Too Many Requests", "+ 200 OK", "Tests: 2 of 3")).toBeNull();
  });

  it("is the last line if only the end of the run is below it", () => {
    expect(reasonOf("Error: no answer", "done.")?.isLast).toBe(true);
    expect(reasonOf("❌", "red:Error It had an error.")).toMatchObject({
      isLast: true,
      text: "❌ Error It had an error.",
    });
    expect(reasonOf("✖ 3 problems (0 errors, 3 warnings)")?.isLast).toBe(false);
    expect(reasonOf("Error: no answer", "Used the other model.")?.isLast).toBe(false);
  });

  it("is not found in ordinary output", () => {
    expect(reasonOf("Read 3 files", "Wrote a.ts", "https://example.com/docs")).toBeNull();
  });
});
