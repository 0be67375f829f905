import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alarms, judge, saidUntil } from "../../../test/support/fragments.js";

const LIMITS: [agent: string, until: string | null, text: string][] = [
  ["claude", "2026-11-15T20:00", "Claude AI usage limit reached|1794772800"],
  ["claude", "2026-11-15T21:00", "Claude usage limit reached. Your limit will reset at 4pm (America/New_York)."],
  ["claude", "2026-11-15T17:00", "  ⎿  5-hour limit reached ∙ resets 5pm\n     /upgrade to increase your usage limit."],
  ["claude", "2026-11-15T14:00", "> go on\n  ⎿  Session limit reached · resets 3pm (Europe/Berlin) · /upgrade to Max"],
  ["claude", "2026-11-18T09:00", "Weekly limit reached ∙ resets Nov 18 at 9am"],
  ["claude", "2026-11-15T18:30", "  ⎿  You've hit your limit · resets 6:30pm (UTC)"],
  [
    "claude",
    "2026-11-15T18:30",
    "● Update(src/a.ts)\n  ⎿  Updated src/a.ts\n  ⎿  You’ve hit your session limit · resets 6:30pm (UTC)",
  ],
  ["claude", "2026-11-19T05:00", "You've hit your weekly limit · resets Nov 19, 5am (UTC)\n\n❯ "],
  ["claude", "2026-11-15T15:00", "You're out of extra usage · resets 3pm (UTC)"],
  [
    "claude",
    "2026-12-01T00:00",
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}',
  ],
  ["claude", "2026-11-15T13:00", "● Usage limit reached · continuing automatically at 1pm · esc or type to cancel"],
  [
    "claude",
    null,
    "What do you want to do?\n\n❯ 1. Stop and wait for limit to reset\n  2. Upgrade your plan\n\nEnter to confirm · Esc to cancel",
  ],
  [
    "claude",
    "2026-11-15T16:00",
    "You've hit your session limit · resets 4pm (UTC)\n\n What do you want to do?\n\n ❯ 1. Stop and wait for limit to reset\n   2. Add funds to continue with extra usage",
  ],
  [
    "claude",
    "2026-11-15T19:00",
    "⏺ Read(a.ts)\n  ⎿  Read 40 lines\n\n  You've hit your Opus limit · resets 7pm (UTC)\n\n✻ Baked for 1m 4s",
  ],
  [
    "codex",
    "2026-11-18T16:09",
    "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 3 days 4 hours 9 minutes.",
  ],
  [
    "codex",
    "2026-11-15T21:15",
    "■ You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 9:15 PM.",
  ],
  [
    "codex",
    "2026-11-20T07:42",
    "■ You've hit your usage limit. Upgrade to Plus to continue using Codex, or try again at Nov 20th, 2026 7:42 AM.",
  ],
  ["codex", null, "■ You've hit your usage limit. Upgrade to Plus or try again later."],
  [
    "codex",
    "2026-11-15T14:05",
    "You've hit your usage limit. To get more access now, send a request to your admin or try again in\n2 hours 5 minutes.",
  ],
  [
    "codex",
    null,
    "You've hit your usage limit. Upgrade to Plus (https://openai.com) or wait for limits to reset (every 5h and every week.)",
  ],
  [
    "gemini",
    "2026-11-15T17:30",
    "✕ [API Error: You have exhausted your capacity on this model. Your quota will reset after 5h30m12s.]",
  ],
  [
    "gemini",
    "2026-11-15T20:00",
    "Usage limit reached for gemini-3-pro.\nAccess resets at 12:00 PM PST.\n/stats for usage details",
  ],
  ["gemini", null, "✕ [API Error: You have exhausted your daily quota on this model.]"],
  ["gemini", null, "⚡ You have reached your daily gemini-2.5-pro quota limit."],
  ["gemini", null, "│ Usage limit reached for all Pro models.\n│\n│ ● 1. Keep trying\n│   2. Stop"],
  [
    "opencode",
    "2026-11-15T14:03",
    "5 hour usage limit reached. It will reset in 2 hours 3 minutes. To continue using this model now, enable usage from your available balance",
  ],
  ["opencode", "2026-11-15T15:12", "The usage limit has been reached [retrying in 3h 12m attempt #4]"],
  ["copilot", "2026-11-15T15:12", "Sorry, you have been rate-limited. Please try again in 3 hours 12 minutes."],
  [
    "copilot",
    "2026-11-15T14:00",
    "✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours.",
  ],
  [
    "cursor",
    "2026-12-03T00:00",
    "You've hit your usage limit. Get Cursor Pro for more Agent usage. Your usage limits will reset when your monthly cycle ends on 12/3/2026.",
  ],
  ["codex", null, "■ exceeded retry limit, last status: 429 Too Many Requests, request id: 9a0c"],
  [
    "codex",
    "2026-11-15T12:00",
    "stream error: exceeded retry limit, last status: 429 Too Many Requests; retrying 2/5 in 387ms…",
  ],
  ["opencode", "2026-11-15T12:00", "■■■⬝⬝  Too Many Requests [retrying in 12s attempt #3]"],
  [
    "aider",
    "2026-11-15T12:00",
    "litellm.RateLimitError: The API provider has rate limited you. Try again later or check your quotas.\nRetrying in 2.0 seconds...",
  ],
  [
    "aider",
    "2026-11-15T12:00",
    'litellm.RateLimitError: AnthropicException - {\n  "type": "rate_limit_error"\n}\n\nRetrying in 4 seconds...',
  ],
  ["goose", null, "Ran into this error: Rate limit exceeded: the provider answered 429."],
  [
    "claude",
    null,
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account\'s rate limit. Please try again later."}}',
  ],
  [
    "claude",
    "2026-11-15T18:00",
    '{"type":"rate_limit_event","status":"rejected","resetsAt":1794765600,"rateLimitType":"five_hour"}',
  ],
  [
    "claude",
    "2026-11-15T21:00",
    '{"hook_event_name":"StopFailure",\n "last_assistant_message":"You\'ve hit your session limit · resets 9pm (UTC)"}',
  ],
  [
    "gemini",
    "2026-11-15T14:10",
    '"code": 429, "message": "You have exhausted your capacity on this model. Your quota will reset after 2h10m1s."',
  ],
  ["codex", "2026-11-15T13:30", "👋 You've hit your usage limit. Upgrade to Pro or try again in 1 hour 30 minutes."],
  [
    "gemini",
    null,
    "⚡ You have reached your daily gemini-2.5-pro quota limit.\n⚡ To increase your limits, upgrade to a plan with higher limits.",
  ],
  [
    "claude",
    "2026-11-15T18:00",
    "  ⎿  You've hit your limit · resets 6pm (UTC)\n\n✻ Baked for 3m 1s\n\n  3 tasks (1 done, 2 open)\n  ◻ Write docs\n\n────────────────────\n❯ \n────────────────────\n  ⏵⏵ accept edits on",
  ],
  ["copilot", null, '× Model call failed: {"message":"rate limit exceeded","code":"rate_limited"}'],
  [
    "codex",
    "2026-11-15T12:00",
    "⚠️ stream error: stream disconnected before completion: Rate limit is exceeded. Try again in 4 seconds.; retrying 1/5 in 209ms…",
  ],
  [
    "gemini",
    null,
    `✕ [API Error: [{\n    "error": {\n      "code": 429,\n      "message": "Quota exceeded for quota metric 'Requests' and limit 'Requests per day\n  per user'.",\n      "errors": [\n        {\n          "reason": "rateLimitExceeded"\n        }\n      ],\n      "status": "RESOURCE_EXHAUSTED"\n    }\n  }\n  ]]\n  Please wait and try again later. To increase your limits, upgrade to a plan with higher limits.`,
  ],
  [
    "opencode",
    "2026-11-15T13:59",
    `  ┃  Fix it.\n     ▣  Build · Model\n  ┃\n  ┃\n  ┃  Build · Model\n  ╹${"▀".repeat(30)}\n   ■■■⬝⬝⬝⬝⬝ You have reached your usage limit. [retrying in 1h 59m attempt #1]        esc interrupt`,
  ],
  ["goose", null, "Monthly request limit reached. Upgrade your plan to continue."],
];

/** As other programs word it. */
const OTHERS: [agent: string, until: string | null, text: string][] = [
  ["some-program", "2026-11-17T15:20", "⚠ Team quota reached. Please ask for more.\nResets in 51h20m0s."],
  [
    "some-program",
    "2026-11-15T13:30",
    "Personal quota exceeded. Ask your administrator to enable overages. Resets in 1h30m.",
  ],
  [
    "some-program",
    null,
    "Error: You've reached your usage limit\n  Get the larger plan for more requests.\n  kind: FREE",
  ],
  [
    "some-program",
    null,
    " × Model call failed: rate limit exceeded\n\n × Execution failed: no answer from the model; retried 4 times",
  ],
  [
    "some-program",
    null,
    "LLM provider error: Error code: 429 - {'error': {'message': 'We see too many requests', 'type': 'rate_limit_reached_error'}}",
  ],
  ["some-program", null, "429 rate_limit_error: This request would exceed the monthly spend of your account."],
  [
    "some-program",
    "2026-11-16T07:41",
    'HttpError: Invalid status code 429 Too Many Requests with message: {"error":{"message":"已达到使用上限。您的限额将在 2026-11-16 07:41:44 重置。"}}',
  ],
  [
    "gemini",
    null,
    "⚡ You have reached your daily limit.\n⚡ You can switch the way to log in by typing /auth\n✕ [API Error: Please submit a new query.]",
  ],
];

describe("a limit in a fragment", () => {
  it.each([...LIMITS, ...OTHERS])("of %s is told with its end (%s): %s", (agent, until, text) => {
    expect(saidUntil(agent, text)).toEqual(["rate_limited", until]);
  });

  it("reads a clock time without a zone in the zone of its user", () => {
    expect(judge("claude", "5-hour limit reached ∙ resets 9pm", "Asia/Tokyo").until).toBe(Date.UTC(2026, 10, 15, 12));
  });

  it("is none inside a sentence", () => {
    const word = fc.constantFrom("the", "retry", "code", "handles", "text", "parser", "says", "that");
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(...LIMITS.map(([, , text]) => text.split("\n").at(-1) ?? "")),
        (words, banner) => {
          expect(alarms("claude", `● So ${words.join(" ")} ${banner} in the log line.`)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
