import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileFor } from "../agents/registry.js";
import { judgeFragment } from "./fragment.js";

const NOW = Date.UTC(2026, 10, 15, 12, 0);
const judge = (agent: string, text: string, zone = "UTC") => judgeFragment(profileFor(agent), text, { at: NOW, zone });
const said = (agent: string, text: string): string => {
  const { state, cause } = judge(agent, text);
  return cause === null ? state : `${state}/${cause}`;
};

type Row = [agent: string, expected: string, text: string];

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

const TROUBLE: Row[] = [
  [
    "claude",
    "error/auth",
    '● API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired."}} · Please run /login',
  ],
  ["claude", "error/auth", "  ⎿  Invalid API key · Please run /login"],
  ["claude", "error/auth", "Not logged in · Please run /login"],
  ["claude", "error/auth", 'Please run /login · API Error: 403 {"error":{"type":"permission_error"}}'],
  ["claude", "error/auth", "OAuth token revoked · Please run /login"],
  [
    "codex",
    "error/auth",
    "■ Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
  ],
  ["codex", "error/auth", "■ unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"],
  ["gemini", "error/auth", "⠏ Waiting for auth... (Press ESC or CTRL+C to cancel)"],
  ["opencode", "error/auth", "ProviderAuthError: Missing credentials for provider"],
  ["claude", "error/billing", "  ⎿  Credit balance is too low"],
  [
    "claude",
    "error/billing",
    'API Error: 400 {"error":{"message":"Your credit balance is too low to access the Anthropic API."}}',
  ],
  ["claude", "error/context_full", "  ⎿  Prompt is too long"],
  [
    "claude",
    "error/context_full",
    "Error: Conversation too long. Press esc twice to go up a few messages and try again.",
  ],
  ["claude", "error/context_full", "  ⎿  Context limit reached · /compact or /clear to continue"],
  [
    "claude",
    "error/context_full",
    'API Error: 400 {"error":{"message":"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"}}',
  ],
  ["claude", "error/context_full", "  ⎿  Error: Error during compaction: Error: Conversation too long."],
  [
    "codex",
    "error/context_full",
    "■ Codex ran out of room in the model's context window. Start a new conversation or clear earlier history before retrying.",
  ],
  ["codex", "error/context_full", "■ Error running remote compact task: stream disconnected before completion"],
  [
    "gemini",
    "error/context_full",
    "✕ [API Error: The input token count (1048999) exceeds the maximum number of tokens allowed (1048576).]",
  ],
  [
    "claude",
    "error/policy_refusal",
    "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy (https://www.anthropic.com/legal/aup).",
  ],
  [
    "claude",
    "error/poisoned_context",
    'API Error: 400\n{"type":"error","error":{"type":"invalid_request_error","message":"messages.12: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01"}}',
  ],
  [
    "claude",
    "error/poisoned_context",
    "● API Error: 400 messages.4.content.0.image: image exceeds the dimension limit of 8000 pixels",
  ],
  [
    "claude",
    "error/api",
    "API Error: Connection lost mid-response. The response above may be incomplete.\n\n✻ Worked for 4m 2s",
  ],
  ["claude", "error/api", "API Error: Stream idle timeout - partial response received"],
  [
    "claude",
    "error/api",
    "  ⎿  API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
  ],
  ["claude", "error/api", "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited"],
  ["claude", "error/api", "Unable to connect to API (ECONNRESET)"],
  ["claude", "error/unreachable", "API Error: Unable to connect to API (ECONNREFUSED)"],
  [
    "claude",
    "error/api",
    'API Error: 500 {\n  "type": "error",\n  "error": {\n    "type": "api_error",\n    "message": "Internal server error"\n  }\n}',
  ],
  [
    "codex",
    "error/unreachable",
    "⚠ Reconnecting... 5/5\n■ stream disconnected before completion: error sending request for url (https://chatgpt.com/backend-api/codex/responses)",
  ],
  ["codex", "error/api", "■ exceeded retry limit, last status: 503 Service Unavailable, request id: 9a0c"],
  ["codex", "error/auth", "■ Failed to refresh token: 400 Bad Request: the token was used before."],
  ["codex", "error/crash", "Error: No saved session found with ID 0198-77"],
  ["claude", "error/crash", "No conversation found to continue"],
  [
    "claude",
    "error/crash",
    "FATAL ERROR: MarkCompactCollector: young object promotion failed Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0x1003c [node]\n 2: 0x1003d [node]",
  ],
  [
    "goose",
    "error/api",
    "Error: Request failed: Request failed with status: 502 Bad Gateway\n\n⏱️  Elapsed time: 12s\nContext: ●●○○○○○○○○ 22% (44000/200000 tokens)",
  ],
  ["claude", "stuck/silent_stream", "✽ Percolating… (41m 2s · ↓ 0 tokens)"],
  [
    "gemini",
    "stuck/loop",
    "  I'll check it.\n  I'll look at it.\n  I'll check it.\n  I'll look at it.\n  I'll check it.\n  I'll look at it.\n  I'll check it.\n  I'll look",
  ],
  [
    "claude",
    "stuck/loop",
    "● Ran 2 stop hooks (ctrl+o to expand)\n  ⎿  Stop hook error: lint failed with exit code 1\n\n● Ran 2 stop hooks (ctrl+o to expand)\n  ⎿  Stop hook error: lint failed with exit code 1",
  ],
  ["gemini", "error/api", "✕ [API Error: exception TypeError: fetch failed sending request]"],
  [
    "goose",
    "error/api",
    "Ran into this error: Server error: 503 Service Unavailable.\n\nPlease retry if you think this is a transient or recoverable error.",
  ],
  [
    "aider",
    "error/auth",
    "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided",
  ],
  [
    "claude",
    "error/crash",
    "<--- Last few GCs --->\n\n[4242:0x1]  88 ms: Mark-Compact 4040 (4100) -> 4039 MB\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
  ],
  [
    "claude",
    "error/crash",
    "panic(main thread): Segmentation fault at address 0x10\noh no: Bun has crashed. This indicates a bug in Bun, not your code.",
  ],
  [
    "codex",
    "error/crash",
    "The application panicked (crashed).\nMessage:  byte index 3 is not a char boundary\nLocation: tui/src/wrap.rs:88",
  ],
  ["codex", "error/crash", "zsh: suspended (tty input)  codex --yolo"],
  ["claude", "error/crash", "zsh: killed     claude --continue"],
  ["claude", "error/crash", "[1]    8123 segmentation fault (core dumped)  claude"],
  ["gemini", "error/crash", "CRITICAL: Unhandled Promise Rejection!\nReason: Error: read EIO"],
  ["codex", "stuck/never_started", "Reading prompt from stdin..."],
  ["aider", "stuck/repeated_error", "Only 3 reflections allowed, stopping."],
  [
    "copilot",
    "stuck/loop",
    "● Continuing autonomously (1 premium request)\n\n✗ Sorry, you've hit a rate limit that restricts requests. Please try again in 2 hours.\n\n".repeat(
      3,
    ),
  ],
  ["copilot", "error/api", "× Execution failed: no answer from the model; retried 5 times"],
  ["opencode", "error/api", "Error from provider (Console): this tier is closed"],
  [
    "opencode",
    "error/policy_refusal",
    "invalid_prompt: Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
  ],
  ["claude", "error/crash", "No conversations found to resume."],
  [
    "gemini",
    "stuck/loop",
    "✦ I will act.\n  I will now run it.\n  I will act.\n  I will now run it.\n  I will act.\n  I will now run it.\n  I will act.\n  I will now run it.",
  ],
  ["claude", "stuck/loop", `The ${"court ".repeat(60)}`],
  [
    "opencode",
    "stuck/loop",
    "→ Read src/main.ts\n→ Read src/main.ts\n→ Read src/main.ts\n→ Read src/main.ts\n→ Read src/main.ts",
  ],
  [
    "claude",
    "stuck/loop",
    "● Bash(git status)\n  ⎿  nothing to commit\n● Bash(git status)\n  ⎿  nothing to commit\n● Bash(git status)\n  ⎿  nothing to commit\n● Bash(git status)\n  ⎿  nothing to commit",
  ],
  [
    "copilot",
    "stuck/loop",
    "● Continuing autonomously (1 premium request)\n● Continuing autonomously (1 premium request)\n● Continuing autonomously (1 premium request)\n● Continuing autonomously (1 premium request)",
  ],
  ["claude", "stuck/stopped_early", "● The parser is half done. I'll now wire it into the CLI.\n\n✻ Cooked for 48s"],
];

const PROMPTS: Row[] = [
  [
    "claude",
    "needs_input/permission",
    "│ Bash command\n│   rm -rf build\n│\n│ Do you want to proceed?\n│ ❯ 1. Yes\n│   2. Yes, and don't ask again for rm commands\n│   3. No, and tell Claude what to do differently (esc)",
  ],
  [
    "claude",
    "needs_input/permission",
    "Do you want to make this edit to config.ts?\n  1. Yes\n  2. Yes, allow all edits during this session (shift+tab)\n  3. No, and tell Claude what to do differently (esc)",
  ],
  ["claude", "needs_input/permission", "Do you want to create notes.md?"],
  [
    "pi",
    "needs_input/permission",
    "╭─ Allow tool: bash ────────╮\n│ Command: touch /tmp/a      │\n│ \ue0b0 Approve                │\n│   Deny                     │\n│ up/down navigate  enter select  esc cancel │\n╰───────────────────────────╯",
  ],
  [
    "claude",
    "needs_input/plan",
    "Would you like to proceed?\n\n ❯ 1. Yes, clear context and auto-accept edits\n   2. Yes, manually approve edits\n   3. No, keep planning",
  ],
  [
    "claude",
    "needs_input/input",
    "Which database?\n\n❯ 1. Postgres\n  2. SQLite\n  3. Type something.\n\nEnter to select · ↑/↓ to navigate · Esc to cancel",
  ],
  [
    "claude",
    "needs_input/trust",
    "Is this a project you created or one you trust?\n\n❯ 1. Yes, I trust this folder\n  2. No, exit\n\nEnter to confirm · Esc to cancel",
  ],
  ["claude", "needs_input/trust", "Do you trust the files in this folder?"],
  [
    "claude",
    "needs_input/permission",
    "✶ Brewing… (2m 3s · ↓ 1.1k tokens)\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No",
  ],
  [
    "codex",
    "needs_input/permission",
    "Would you like to run the following command?\n\n  $ git push origin main\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't ask again for this command (a)\n  3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel",
  ],
  [
    "codex",
    "needs_input/trust",
    "Do you trust the contents of this directory?\n\n› 1. Yes, continue\n  2. No, quit\n\n  Press enter to continue",
  ],
  [
    "gemini",
    "needs_input/permission",
    "Allow execution of: 'npm install'?\n\n● 1. Allow once\n  2. Allow for this session\n  3. No, suggest changes (esc)",
  ],
  ["gemini", "needs_input/permission", "Apply this change?"],
  [
    "gemini",
    "needs_input/confirmation",
    "A potential loop was detected\n\nThis can happen due to repetitive tool calls or other model behavior.\n\n● 1. Keep loop detection enabled (esc)\n  2. Disable loop detection for this session",
  ],
  [
    "opencode",
    "needs_input/permission",
    "┃ △ Permission required\n┃   # Delete build folder\n┃   $ rm -rf build\n┃\n┃  Allow once   Allow always   Reject",
  ],
  [
    "aider",
    "needs_input/confirmation",
    "Add src/app.py to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]:",
  ],
  ["aider", "needs_input/confirmation", "Run shell command? [y/N]"],
  [
    "cursor",
    "needs_input/trust",
    "⚠ Workspace Trust Required\n\nCursor Agent can execute code and access files in this directory.",
  ],
  [
    "pi",
    "needs_input/confirmation",
    ` Commit these changes?\n\n → Yes\n   No\n\n ↑↓ navigate  enter select  escape/ctrl+c cancel\n\n${"─".repeat(30)}`,
  ],
  [
    "claude",
    "needs_input/confirmation",
    "╭────────────────────╮\n│ Select a method:                 │\n│ ❯ 1. Clipboard  Copy it          │\n│   2. File       Save it in the   │\n│                 directory        │\n╰────────────────────╯\n  Esc to cancel",
  ],
  [
    "claude",
    "needs_input/login",
    "Select login method:\n\n ❯ 1. Claude account with subscription\n   2. Anthropic Console account",
  ],
  ["claude", "needs_input/input", "  ⎿  Interrupted · What should Claude do instead?"],
  ["codex", "needs_input/input", "■ Conversation interrupted - tell the model what to do differently."],
  [
    "claude",
    "needs_input/input",
    "● The schema change would drop the column `age`. Should I go ahead and run the migration?\n\n✻ Worked for 2m 10s",
  ],
  ["codex", "needs_input/input", "• I can either keep the old endpoint or remove it. Which one do you prefer?"],
];

/** Whole screens are fragments too. */
const RULE = "─".repeat(40);

const QUIET: [agent: string, states: string, text: string][] = [
  ["claude", "working", "✶ Seasoning… (10m 9s · ↑ 198 tokens)"],
  ["claude", "working", "✻ Investigating… (31m 40s · ↓ 108.6k tokens · thought for 12s)"],
  ["claude", "working", "* Pondering… (esc to interrupt)"],
  [
    "claude",
    "working",
    "  ⎿  5-hour limit reached ∙ resets 5pm\n\n> continue\n\n● Picking up where it stopped.\n\n✢ Simmering… (12s · ↓ 300 tokens)",
  ],
  ["claude", "working", "· Thinking…"],
  ["claude", "working", "● Task(Survey the parsers)\n  ⎿  Waiting…\n\n✻ Waiting for 2 background agents to finish"],
  ["codex", "working", "• Working (12m 41s • esc to interrupt)"],
  ["codex", "working", "• Fixing the limit banner (1m 2s • esc to interrupt) · 1 background terminal running"],
  ["gemini", "working", "⠹ Reading the rate limiter (esc to cancel, 1m 12s)"],
  ["opencode", "working", "  ▣ Build · claude-opus-4-5"],
  ["opencode", "working", "■■■⬝⬝⬝  esc interrupt"],
  ["cursor", "working", "⠠ Generating 3.2k tokens\n\n→ Add a follow-up\n  ctrl+c to stop"],
  ["claude", "waiting", "✶ 529 Overloaded · Retrying in 4s · attempt 6/10"],
  [
    "claude",
    "waiting",
    'API Error (529 {"type":"error","error":{"type":"overloaded_error"}}) · Retrying in 18 seconds… (attempt 6/10)',
  ],
  ["claude", "waiting", "API Error (Request timed out.) · Retrying in 5 seconds… (attempt 4/10)"],
  ["codex", "waiting", "• Reconnecting... 2/5 (12s • esc to interrupt)"],
  ["codex", "waiting", "stream error: stream disconnected before completion: idle timeout; retrying 2/5 in 387ms…"],
  ["gemini", "waiting", "⠼ Trying to reach gemini-3-pro (Attempt 8/10)"],
  ["gemini", "waiting", "Attempt 2 failed with status 503. Retrying with backoff..."],
  ["opencode", "waiting", "■■■⬝⬝  Provider is overloaded [retrying in 12s attempt #3]"],
  ["opencode", "waiting", "kimi is way too hot right now"],
  [
    "claude",
    "waiting",
    "API Error (429 Server is temporarily limiting requests (not your usage limit)) · Retrying in 5 seconds… (attempt 2/10)",
  ],
  ["claude", "waiting", "✻ Compacting conversation… (2m 11s · ↑ 4.1k tokens)"],
  ["goose", "waiting", "Context limit reached. Compacting to continue conversation..."],
  ["claude", "complete", "● All 52 tests pass now.\n\n✻ Sautéed for 3m 7s"],
  ["claude", "complete", "✻ Worked for 12m 2s · done 15:04"],
  ["claude", "complete", "✻ Brewed for 2m · 1 shell still running"],
  ["codex", "complete", "• Added the retry and its tests.\n\n─ Worked for 4m 12s ───────────────────"],
  ["codex", "complete", "• Added the retry and its tests.\n\n  Worked for <1s • 17:39"],
  ["opencode", "complete", "  Fixed the flaky test.\n\n  ▣ Build · gpt-5.2 · 48.2s"],
  ["claude", "complete", "● Fixed. Let me know if you want the docs updated too."],
  ["gemini", "idle", "ℹ Request cancelled."],
  // It says so of every command that is silent for a while.
  ["gemini", "working", "! Shell awaiting input (Tab to focus)"],
  [
    "codex",
    "complete",
    "To continue this session, run:\n  codex resume 0199-aa\nPane is dead (status 0, Sun Nov 15 03:04:09 2026)",
  ],
  [
    "claude",
    "working",
    `● Bash(make)\n  ⎿  ok\n\n✻ Mulling… (12s · ↑ 335 tokens)\n  ⎿  ✔ Read the code\n     ◻ Write the tests\n\n${RULE}\n❯ \n${RULE}\nModel: Sonnet | Ctx: 54k\n6 files +12 -3`,
  ],
  [
    "claude",
    "working",
    `● Which of the two is faster? Measuring.\n\n${RULE}\n❯ \n${RULE}\n  5 files +0 -0 · esc to interrupt`,
  ],
  ["pi", "working", ` $ find src\n\n ⠼ Working...\n\n╭─ π | model | main ${RULE}\n╰─`],
  [
    "cursor",
    "working",
    " ┌──────────────┐\n │ What is this? │\n └──────────────┘\n\n  ⬡ Thinking.    172 tokens\n ┌──────────────┐\n │ → Add a follow-up │\n └──────────────┘\n\n  GPT-5\n  / for commands · @ for files",
  ],
  [
    "claude",
    "idle",
    "────────────────────\n❯ \n────────────────────\n  [Opus] │ repo git:(main)\n  ⏵⏵ bypass permissions on · 1 shell",
  ],
  ["codex", "complete", "• The build is green.\n\n› Ask Codex to do anything\n\n  gpt-5.2 high · 61% left · ~/repo"],
  [
    "codex",
    "complete",
    "• The build is green.\n\n› Improve documentation in @filename\n\n  gpt-5.2 high · 61% left · ~/repo",
  ],
  ["claude", "idle", "How is Claude doing this session? (optional)\n  1: Bad    2: Fine   3: Good   0: Dismiss"],
  ["gemini", "idle", "Model usage      Reqs   Usage left\ngemini-3-pro       4    71.2% (Resets in 3h 2m)"],
];

/** Content that only speaks of trouble. Nobody may be alarmed by it. */
const TRAPS: [agent: string, text: string][] = [
  // Diffs and listings.
  [
    "claude",
    '● Update(src/limits.ts)\n  ⎿  Updated src/limits.ts with 2 additions\n       14  export const BANNERS = [\n       15 +  "You\'ve hit your limit · resets 3pm",\n       16 +  "5-hour limit reached ∙ resets 5pm",',
  ],
  ["codex", "+You've hit your usage limit. Upgrade to Pro or try again in 3 days.\n-You've hit your usage limit."],
  ["claude", "@@ -1,4 +1,4 @@\n API Error: 500 Internal server error\n-API Error: 429\n+API Error: 529 Overloaded"],
  ["claude", "   12→ Do you want to proceed?\n   13→ ❯ 1. Yes\n   14→   2. No"],
  ["gemini", "  41 │ ✕ [API Error: quota exceeded]"],
  ["claude", "● Read(fixtures/limit.txt)\n  ⎿  You've hit your session limit · resets 3pm (UTC)"],
  [
    "claude",
    "● Bash(cat /tmp/screen.txt)\n  ⎿  Invalid API key · Please run /login\n     Not logged in · Please run /login",
  ],
  ["codex", "• Ran cat notes.txt\n  └ You've hit your usage limit. Try again at 9:15 PM."],
  // Code and tests.
  ["claude", "if (screen.includes(\"Prompt is too long\")) {\n  return { kind: 'context' };\n}"],
  ["claude", "const LIMIT = /You've hit your (?:session|weekly) limit · resets/;"],
  ["claude", " ✓ readers/limits.test.ts > 5-hour limit reached · resets 5pm 12ms"],
  ["claude", "  ✕ API Error: 401 is not retried (15 ms)"],
  ["codex", "test limits::usage_limit_reached_is_final ... ok\ntest limits::hit_your_usage_limit_with_reset ... ok"],
  ["gemini", "FAIL src/quota.test.ts > You have reached your daily quota limit"],
  ["claude", "--- FAIL: TestRateLimitReached (0.01s)\n    limit_test.go:41: got 'API Error: 429', want retry"],
  ["claude", "expect(banner).toBe(\n  `You've hit your limit · resets 3pm`,\n)"],
  ["opencode", 'throw new ProviderAuthError({ message: "token expired" })'],
  [
    "claude",
    "src/errors.ts:88: // API Error: 529 Overloaded means try again\nsrc/errors.ts:91: OAuth token has expired",
  ],
  ["claude", "$ grep -rn 'limit reached' src\nUsage limit reached for gemini-3-pro. Access resets at 5 PM PST."],
  ["claude", "$ npm run build\n\nFATAL ERROR in worker: see log\nthread 'main' panicked is covered by the handler"],
  ["codex", "• Ran cargo test\n  └ thread 'main' panicked at src/lib.rs:4:5:\n    index out of bounds"],
  [
    "claude",
    "● Bash(npm run build)\n  ⎿  <--- Last few GCs --->\n     FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
  ],
  ["claude", "```\nYou've hit your limit · resets 3pm\n```"],
  ["claude", "For example:\n```text\nAPI Error: 500 Internal server error"],
  // Docs, tables, titles, prose.
  ["claude", "| Banner | Meaning |\n|---|---|\n| You've hit your limit · resets 3pm | wait |"],
  ["claude", "## Usage limit reached\n\nThe banner `5-hour limit reached ∙ resets 3pm` stands above the composer."],
  ["claude", "# Prompt is too long"],
  ["claude", "> You've hit your usage limit. Try again at 9pm."],
  ["claude", "1. API Error: 529 Overloaded\n2. Prompt is too long\n3. Credit balance is too low"],
  ["claude", "- Not logged in · Please run /login\n- OAuth token has expired"],
  ["claude", "#4821 You've hit your limit banner is shown although usage is 2%"],
  ["claude", "fix: usage limit reached is no longer shown twice"],
  ["claude", "● The 429 handler now backs off, so a rate limit no longer kills the worker."],
  ["claude", "● You've hit your limit of three retries in this loop, so I raised it to five."],
  ["claude", "● API Error: 500 responses are now retried by the middleware."],
  ["codex", "• The rate limit tests pass; the usage limit banner is parsed with its zone."],
  ["gemini", "✦ The quota resets at midnight, which is why the nightly job failed."],
  ["claude", '● When the token expires the CLI says "Please run /login" and stops.'],
  ["claude", '● I added a check that asks "Do you want to proceed?" before it deletes anything.'],
  ["claude", "You've hit your limit · resets 3pm\nis what we match in the detector."],
  [
    "claude",
    "  The menu looks like this:\n\n  ❯ 1. Yes\n    2. No\n\n  After that the agent goes on by itself and the screen is cleared.",
  ],
  ["claude", "> 1. Yes\n> 2. No"],
  ["claude", "● The pane showed\n  You've hit your limit · resets 3pm\n  for a second, then the row was gone."],
  ["claude", "● The pane showed\n  You've hit your limit · resets 3pm (UTC)"],
  [
    "codex",
    "• It matched two strings,\n  Would you like to run the following command? and the hint\n  Press enter to confirm or esc to cancel",
  ],
  [
    "claude",
    " Points to discuss:\n 1. What does it bind?\n 2. Does the word survive?\n Where do you want to dig?\n ✳ Puttering… (26s · thinking)",
  ],
  ["claude", "│ Rate limits  │ No issues detected │\n│ no rate limiting, no intervention needed │"],
  ["claude", "0 errors, 0 warnings. The error handling cleanup is done."],
  // Warnings and panels.
  ["claude", "Approaching usage limit · resets at 7pm"],
  ["claude", "You've used 91% of your weekly limit · resets Nov 18 at 9am (UTC)"],
  ["codex", "⚠ Heads up, you've used over 90% of your weekly limit. Run /status for a breakdown."],
  ["claude", "Opus limit reached, now using Sonnet 4.5"],
  ["claude", "Context left until auto-compact: 4%"],
  ["claude", "Context low (8% remaining) · Run /compact to compact & continue"],
  [
    "codex",
    "  5h limit:     [████████████████████] 97% used (resets 14:30)\n  Weekly limit: [██████░░░░] 61% used (resets 09:00 on 18 Nov)",
  ],
  ["claude", "Current session\n██████████████ 88% used\nResets 3pm (Europe/Berlin)"],
  ["claude", "Usage limit reset · continuing automatically"],
  ["gemini", "ℹ Possible quota limitations or slow response times detected. Switching to gemini-flash."],
  // Other programs' output and logs.
  ["claude", "● Bash(npm publish)\n  ⎿  npm error 429 Too Many Requests - retrying in 5s"],
  ["claude", "● The client meets a 429 and is retrying in 5s, which is what we want."],
  ["claude", "Error: expected 3 to be 4"],
  ["claude", '{"type":"assistant","message":"The rate limit is parsed."}'],
  ["claude", "  ⎿  Error: Exit code 1\n     2 failed, 40 passed"],
  ["claude", "[12:04:11] worker 3: rate limit exceeded, backing off\n[12:04:12] worker 3: ok"],
  ["claude", "2026-11-15 12:00:01 ERROR http: API Error: 500"],
  ["claude", "error: linking with `cc` failed: exit status: 1\nerror: could not compile `app` due to 1 previous error"],
  ["claude", "error TS2345: Argument of type 'string' is not assignable to parameter of type 'Limit'."],
  [
    "claude",
    "waiting for rollout to finish: 1 of 3 updated replicas are available...\nwaiting for rollout to finish: 1 of 3 updated replicas are available...\nwaiting for rollout to finish: 1 of 3 updated replicas are available...\nwaiting for rollout to finish: 1 of 3 updated replicas are available...",
  ],
  ["claude", "|---|---|\n|---|---|\n|---|---|\n|---|---|\n|---|---|"],
  [
    "claude",
    "● Update(a.ts)\n  ⎿  Updated a.ts\n● Update(b.ts)\n  ⎿  Updated b.ts\n● Update(c.ts)\n  ⎿  Updated c.ts\n● Update(d.ts)\n  ⎿  Updated d.ts",
  ],
  ["claude", '{"limits": {"error": "usage_limit_reached"}}'],
  ["claude", '"limit.reached": "You have reached your limit",'],
  ["claude", "How is Claude doing this session? (optional)\n  1: Bad    2: Fine   3: Good   0: Dismiss"],
  ["claude", ""],
  ["claude", "❯ "],
];

const ALARMS = new Set(["needs_input", "rate_limited", "stuck", "error", "gone"]);

describe("a fragment of a screen", () => {
  it.each(LIMITS)("of %s tells a limit and its end (%s): %s", (agent, until, text) => {
    const told = judge(agent, text);
    expect(told.state).toBe("rate_limited");
    expect(told.until === null ? null : new Date(told.until).toISOString().slice(0, 16)).toBe(until);
  });

  it.each(TROUBLE)("of %s is %s: %s", (agent, expected, text) => {
    expect(said(agent, text)).toBe(expected);
  });

  it.each(PROMPTS)("of %s waits for a human (%s): %s", (agent, expected, text) => {
    expect(said(agent, text)).toBe(expected);
  });

  it.each(QUIET)("of %s is %s: %s", (agent, expected, text) => {
    expect(judge(agent, text).state).toBe(expected);
  });

  it.each(TRAPS)("of %s that only speaks of trouble alarms nobody: %s", (agent, text) => {
    expect(ALARMS.has(judge(agent, text).state), JSON.stringify(judge(agent, text))).toBe(false);
  });

  it("reads a clock time without a zone in the zone of its user", () => {
    expect(judge("claude", "5-hour limit reached ∙ resets 9pm", "Asia/Tokyo").until).toBe(Date.UTC(2026, 10, 15, 12));
  });

  it("is judged the same in colour", () => {
    expect(said("claude", "\u001b[31m  ⎿  Prompt is too long\u001b[0m")).toBe("error/context_full");
  });

  it("never throws, and never alarms for a banner inside a sentence", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.constantFrom("claude", "codex", "gemini", "opencode", "other"),
        (text, agent) => {
          judge(agent, text);
        },
      ),
    );
    const word = fc.constantFrom("the", "retry", "code", "handles", "text", "parser", "says", "that");
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(...LIMITS.map(([, , text]) => text.split("\n").at(-1) ?? "")),
        (words, banner) => {
          expect(ALARMS.has(judge("claude", `● So ${words.join(" ")} ${banner} in the log line.`).state)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
