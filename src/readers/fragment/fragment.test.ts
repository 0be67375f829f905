import { describe, expect, it } from "vitest";
import { said } from "../../../test/support/fragments.js";

type Row = [agent: string, expected: string, text: string];

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
describe("a fragment of a screen", () => {
  it.each(TROUBLE)("of %s is %s: %s", (agent, expected, text) => {
    expect(said(agent, text)).toBe(expected);
  });

  it.each(PROMPTS)("of %s waits for a human (%s): %s", (agent, expected, text) => {
    expect(said(agent, text)).toBe(expected);
  });

  it("is judged the same in colour", () => {
    expect(said("claude", "\u001b[31m  ⎿  Prompt is too long\u001b[0m")).toBe("error/context_full");
  });
});
