/** Single frames of many programs, in the words by which they are known. */
import { describe, expect, it } from "vitest";
import { said } from "../../../test/support/fragments.js";

const STATES: [agent: string, expected: string, text: string][] = [
  ["claude", "error/auth", "  ⎿  Session expired. Please run /login."],
  ["claude", "error/auth", "Not signed in to Claude. Run /login."],
  ["claude", "error/auth", "OAuth authentication is currently not allowed here"],
  ["claude", "error/auth", "Your ANTHROPIC_API_KEY belongs to a disabled organization · unset it"],
  ["gemini", "error/auth", "✕ Failed to sign in. Message: no"],
  ["claude", "error/context_full", "Autocompact is thrashing: the context was full again 3 times in a row."],
  ["cline", "error/context_full", "The conversation exceeds the model's context window. Start a new session."],
  ["claude", "error/context_full", "API Error: The model has reached its context window limit."],
  ["claude", "error/api", "Request timed out. Check your network"],
  ["claude", "error/api", "Repeated 529 Overloaded errors"],
  ["claude", "rate_limited/limit", "Limit reached – contact your admin"],
  [
    "claude",
    "rate_limited/limit",
    "> test\n  ⎿  Claude usage limit reached. It will reset at 10pm (UTC).\n\n      • /upgrade for more.",
  ],
  [
    "kiro",
    "rate_limited/limit",
    "Some Agent is having trouble responding right now: \n   0: refused (ThrottlingException)\n   1: service error\n\nLocation:\n   crates/a/b.rs:668",
  ],
  [
    "kiro",
    "error/unreachable",
    "Some Agent is having trouble responding right now: \n   0: Failed to send the request: dispatch failure\n   1: dispatch failure (io error): error sending request for url (https://example.com/)",
  ],
  [
    "kimi",
    "error/api",
    "LLM provider error: Error code: 429 - {'error': {'message': 'The engine is overloaded', 'type': 'engine_overloaded_error'}}",
  ],
  [
    "crush",
    "rate_limited/limit",
    '    ERROR  Too Many Requests\n\n   POST "https://api.example.com/v1/messages": 429 Too Many Requests\n   {"error":{"message":"rate limit exceeded"}}',
  ],
  [
    "some-program",
    "rate_limited/limit",
    "429 Rate limit exceeded: free-models-per-day. Add credits to unlock more requests",
  ],
  ["copilot", "rate_limited/limit", " > hello\n\n ✘ Model call failed: no\n\n ✘ Execution failed: 402 out of quota"],
  ["claude", "rate_limited/limit", "Limit reached resets Nov 18 at 5am (Asia/Riyadh)"],
  [
    "gemini",
    "rate_limited/limit",
    "✕ [API Error: You exceeded your current quota, please check your plan.\n  * Quota exceeded for metric: a/b, limit: 125000\n  Please retry in 8.5s.\n  Suggested retry after 8s.]\n\n\n Using:\n   - 2 open files",
  ],
  ["claude", "error/api", "OAuth error: no answer within 9 s"],
  ["goose", "error/api", "The error above was an exception of ours.\nWe've taken the last message back\n\n( O)>"],
  [
    "codex",
    "error/crash",
    "› The application panicked.\nMessage:  index out of bounds\nLocation: /a/b.rs:106\n\n  ━━━━━━━━━━━━ BACKTRACE ━━━━━━━━━━━━\n   5: _main<unknown>\n      at somewhere",
  ],
  [
    "claude",
    "error/crash",
    " 1: 0xe13fde node::OOMErrorHandler(char const*) [node]\n 2: 0x1402c05  [node]\nzsh: IOT instruction (core dumped)  /home/a/claude",
  ],
  ["opencode", "error/crash", "RSS: 0.75GB | Peak: 0.75GB\n\npanic(thread 274): Segmentation fault at address 0x0"],
  [
    "claude",
    "error/crash",
    "  ERROR  Raw mode is not supported on the current process.stdin.\n\n - handleSetRawMode (node_modules/@anthropic-ai/claude-code/cli.js:8:3)",
  ],
  ["codex", "needs_input/permission", "  ⚠ 3 scripts are new.\n\n  Press a to allow them; esc to go back"],
  [
    "gemini",
    "stuck/loop",
    Array.from({ length: 3 }, (_, n) =>
      n < 2
        ? "  I'll go on. I will change the file so that the new selector works in every place where it is shown.\n\n  Wait, the tool needs the whole text of the file as its argument. I must pass it as one string.\n\n  One last look: the component is the one that I have read. Yes."
        : "  I'll go on. I will change the file so that the new selector works in every place where it is shown.\n\n  Wait, the tool needs the whole text of the file as its argument. I must pass it as one string.",
    ).join("\n\n"),
  ],
  [
    "claude",
    "complete",
    "● I explained it.\n\n✻ Worked for 1m 49s\n\n※ recap: I explained how both fit together. (disable recaps in /config)",
  ],
  [
    "some-program",
    "complete",
    "❯ did you forget it?\n⠶ No, it is queued.\n ✻ Worked for 19m 16s\n────────────\n❯\n────────────\n  » nothing is asked for",
  ],
  [
    "opencode",
    "complete",
    "     HELLO\n     Build · Some Model (New) · 4.8s · 66.7 tok/s\n  ┃\n  ┃  Build auto · Some Model OpenCode Go\n  ╹▀▀▀▀",
  ],
  [
    "copilot",
    "idle",
    `${"─".repeat(60)}\n❯  Type @ to mention files, / for commands, or ? for shortcuts\n${"─".repeat(60)}\n ctrl+q another way        left: 0%`,
  ],
  [
    "copilot",
    "complete",
    "% copilot\nTotal usage est:        7 requests\n API time spent:         3m 2s\n Total session time:     5m 8s",
  ],
  [
    "codex",
    "working",
    "╭──────────────────────────────╮\n│(   ●) 31s  Thinking.      │\n╰──────────────────────────────╯",
  ],

  [
    "codex",
    "rate_limited/limit",
    "■ Error running remote compact task: you've reached your usage limit. Try again later.",
  ],
  [
    "claude",
    "rate_limited/limit",
    "● API Error: Request rejected (429) · [1308][Usage limit reached for 5 hour. Your limit will reset at 2026-11-15\n  18:19:41][2026111515042]\n✻ Brewed for 57m 29s\n  9 tasks (8 done, 1 open)",
  ],
  ["goose", "error/api", "Network error: the body could not be decoded\n\nPlease resend your message."],
  ["some-program", "error/auth", "401 OpenAI API error 401: unauthorized: token expired"],
  ["claude", "idle", "✻ Brewed for 52s\n\n❯ /plan\n  ⎿  Enabled plan mode"],
  ["codex", "error/crash", "Speicherzugriffsfehler (Speicherabzug geschrieben)"],
  ["codex", "waiting/retry", "◦ Reconnecting... 2/5 (9s • esc to interrupt)\n  └ unexpected status 403: no"],
  [
    "codex",
    "rate_limited/limit",
    "⚠️ stream error: stream disconnected before completion: Rate limit reached for a model on\ntokens per min (TPM): Limit 10. Visit https://example.com/\nto learn more.; retrying 2/5 in 7.5s…",
  ],
  [
    "some-program",
    "error/context_full",
    "Error: Context length exceeded: Error: 400 This model's maximum context length is 131072 tokens.",
  ],

  ["aider", "error/billing", '░litellm.BadRequestError: SomeException - {"error":{"message":"Insufficient Balance"}}'],
  [
    "some-program",
    "error/billing",
    ' Took 1.1s\n Error: 402: {"message":"Insufficient balance.","type":"CreditsError"}',
  ],
  ["claude", "error/auth", "Login expired Â· Please run /login"],
  ["codex", "error/api", "The selected model is at capacity. Please use a different one."],
  ["some-program", "error/api", "HttpError: Invalid status code 503 Service Unavailable with message: {}"],
  [
    "some-program",
    "error/crash",
    "◐  Exploring...\nthread 'main' panicked at crates/a/src/b.rs:9:2:\nno entry\nstack backtrace:\n   0:     0x5c5b8af46b42 - std::sys::print",
  ],
  [
    "claude",
    "error/crash",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0x7a0ebb node::OOM [claude]\nAborted (core dumped)",
  ],
  ["opencode", "error/crash", "  ┃  Loading results\nfish: Job 2, 'a' terminated by signal SIGSEGV"],
  [
    "opencode",
    "error/crash",
    "Error: Unexpected end.\n    at <anonymous> (/$bunfs/root/chunk-1.js:8:7)\n    at run (native:7:39)",
  ],
  [
    "codex",
    "needs_input/permission",
    "╭──────────────\n│Shell Command\n│$ nl -ba a.sh\n│May it run?\n│  ❯ Yes (y)\n│    Explain it (x)\n│    No, go on without (n)\n╰──────────────",
  ],
  ["codex", "needs_input/permission", "  Yes (y)\n  Change it first (e)\n  No, stop here (esc)"],
  [
    "claude",
    "needs_input/permission",
    "   Sets up the project\n   Do you want to proceed?\n ❯ Yes\n   Yes, and don't ask again\n   No, I will say what instead (esc)",
  ],
  [
    "goose",
    "needs_input/permission",
    "◆  May this tool run? Do you allow it?\n│  ● Allow (this time)\n│  ○ Always Allow\n│  ○ Deny",
  ],
  ["some-program", "needs_input/permission", "Enter y to run this tool, otherwise go on chatting."],
  ["claude", "needs_input/input", "● Bash(ssh host uptime)\n  ⎿  Permission denied.\n  ⎿  Interrupted by user"],
  ["goose", "idle", "Context: ○○○○ 0% (0/9 tokens)\n( O)> Press Enter to send it"],
  ["aider", "complete", "Applied edit to a.txt\nCommit 00fd2a1 feat: add a file"],
  [
    "opencode",
    "complete",
    "   DONE\n   ▣  Build · Some Model · 6.9s\n┃\n┃  Build · Some Model Zen\n   /tmp/a                 8.7K (4%)  ctrl+p commands",
  ],
  ["claude", "waiting/compaction", "* Compacting conversation… (4m 2s · ↓ 9.9k tokens)\n  ▰▰▰▰▰▰▰▰▱▱▱▱▱▱▱▱ 40"],
  [
    "claude",
    "working",
    "✶ Finding a way…\n\n──────────────────────────────\n  my-project │ ⎇ main* │ Usage: 6% ▋░░░ ↻ 9:59",
  ],
  [
    "opencode",
    "working",
    "  ┃  ℹ fail 0\n  ┃  ← Edit src/a.ts\n  ▣  Build · Some Model\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀\n  ⬝⬝⬝⬝⬝⬝⬝⬝  esc interrupt151.9K (76%)",
  ],
  [
    "codex",
    "stuck/loop",
    Array.from(
      { length: 5 },
      (_, n) => `• Ran cd /a/b/c/project${n % 2 ? " " : ""}&& git status -sb\n  └ ## feature/a-branch`,
    ).join("\n\n"),
  ],
  // A statement with a cross, and what hangs from it.
  [
    "some",
    "error/auth",
    "✗ Authentication failed\n\n  Your token may have expired.\n\n  Try one of these:\n    • log in again\n    • make a new token",
  ],
  [
    "some",
    "rate_limited/limit",
    "✕ [API Error: Some plan quota exceeded: that was all for today.\n\n  To go on, upgrade:\n    Here:  https://example.com/plan\n    There: https://example.org/plan]",
  ],
  [
    "claude",
    "error/unreachable",
    " Unable to connect to Anthropic services\n\n Failed to connect to api.example.com: ENOTFOUND\n\n https://example.com/help",
  ],
  ["some", "error/billing", "API Request Failed: 402 Insufficient Balance"],
  ["some", "error/billing", "┃  This request requires more credits, or fewer tokens."],
  [
    "aider",
    "error/context_full",
    "Model some/model has hit a token limit!\nCounts are a guess.\n\nInput tokens: ~214,518 of 200,000",
  ],
  ["some", "rate_limited/limit", "  Some Free limit reached. It fills up by the hour: try again in 47 minutes"],
  [
    "codex",
    "rate_limited/limit",
    "■ You’ve hit your usage limit. Upgrade to Plus, or try again at\n11:03 PM.\n\n› Ask Codex to do anything",
  ],
  [
    "droid",
    "rate_limited/limit",
    " ⛬  You've reached your rate limit for this 5-hour window. Resets at 17:30 (UTC+1).\n\n ╭────────────────────╮\n │ >                  │\n ╰────────────────────╯",
  ],
  [
    "claude",
    "rate_limited/limit",
    "● Update(a.py)\n  ⎿  You've hit your session limit · resets 2am (UTC)\n     /upgrade to go on.\n\n✻ Crunched for 6m 21s",
  ],
  // What a command asks of whoever sits at the terminal.
  ["claude", "needs_input/input", "⏺ Bash(sudo make install)\n  ⎿  [sudo] password for ann:"],
  [
    "claude",
    "needs_input/input",
    "⏺ Bash(git rebase --continue)\n  ⎿  hint: Waiting for your editor to close the file...\n     Running… (41m 20s)",
  ],
  [
    "some",
    "needs_input/input",
    "command: ssh a@10.0.0.1\n\nED25519 key fingerprint is SHA256:abc.\nAre you sure you want to continue connecting (yes/no/[fingerprint])?",
  ],
  [
    "gemini",
    "needs_input/input",
    "│ ⊷  Shell npm create x  │\n│ Ok to proceed? (y)     │\n╰────────────────────────╯\n! Shell awaiting input (Tab to focus)",
  ],
  [
    "codex",
    "needs_input/permission",
    "▌ Allow command?\n▌\n▌ $ git push\n▌\n▌ ▶ Yes (Y)   Always (A)   No, provide feedback (N)",
  ],
  ["some", "needs_input/permission", " May I run this?\n\n   make all\n\n Run ⏎    Edit ⌘E    Cancel ⌃C"],
  ["some", "needs_input/confirmation", "Allow this action? Use 't' to trust it. [y/n/t]:\n\n>"],
  // It died, and a shell is there again.
  [
    "claude",
    "error/crash",
    "✻ Marinating… (11m 2s)\n/opt/bin/claude: line 4: 41273 Killed                  node cli.js\nann@host:~/shop$",
  ],
  [
    "aider",
    "error/crash",
    '  File "/opt/a/coder.py", line 14, in send\n    self.apply()\nsome.exc.CommandError: it failed\nann@host:~/shop$',
  ],
  ["claude", "stuck/tool_hang", "⏺ Bash(timeout 180 make)\n  ⎿  Running… (1h 57m 3s · timeout 3m)"],
  ["claude", "stuck/silent_stream", "✻ Noodling… (9h 41m 2s · ↓ 312 tokens)"],
  ["crush", "stuck/loop", `${"✓ View a.go\n× Edit a.go\n  ERROR text not found in the file\n".repeat(3)}✓ View a.go`],
  ["codex", "complete", "codex\nRenamed the module.\ntokens used\n12,331"],
  // Below a limit the program itself names what helps, also where it stands in the place of a result.
  [
    "claude",
    "rate_limited/limit",
    "⏺ Bash(make test)\n  ⎿  You've hit your session limit · resets 2:40am (UTC)\n     /upgrade to go on.\n\n✻ Churned for 12m 8s",
  ],
  [
    "copilot",
    "rate_limited/limit",
    " ✗ You've reached your weekly rate limit. Please wait for your limit to reset on November 18,\n   2026 at 12:00 AM UTC.\n\n ~/code/geo[⎇ main*]        some-model\n────────────────────────────\n ❯  Type @ to mention files",
  ],
  [
    "cline",
    "rate_limited/limit",
    '[api_req_failed] 429 {"error":{"message":"Rate limit exceeded: free-models-per-day","code":429}}',
  ],
  [
    "iflow",
    "rate_limited/limit",
    "⠙ 正在分析…\n\n✕ [API Error: 429 too many requests]\n\n╭──────────────╮\n│ >  输入消息    │\n╰──────────────╯",
  ],
  [
    "codex",
    "waiting/retry",
    "[2026-11-15T11:59:10] thinking\n[2026-11-15T11:59:40] stream error: stream disconnected; retrying 4/5 in 1.6s…",
  ],
  [
    "some",
    "error/crash",
    " ⠧ Loading… (esc to cancel, 48s)\nnode:events:497\n      throw er;\n\nError: read EIO\n    at TTY.onRead (node:internal/a:216:20)\n\nNode.js v22.11.0\nroot@ci:/repo#",
  ],
  [
    "gemini",
    "rate_limited/limit",
    "You exceeded your current quota, please check your plan. See https://example.com\n* Quota exceeded for metric: a.example.com/b, limit: 20\nPlease retry in 37.194s.",
  ],
  ["cursor", "rate_limited/limit", "ActionRequiredError: You've hit your usage limit. Get Pro for more, and more."],
  [
    "codex",
    "error/crash",
    "thread 'main' has overflowed its stack\nfatal runtime error: stack overflow, aborting\nzsh: abort      codex resume",
  ],
  ["claude", "error/crash", "agent-1  | Killed\nagent-1 exited with code 137"],
  [
    "claude",
    "stuck/loop",
    `${"⏺ Update(a.py)\n  ⎿  Error editing file\n\n⏺ Let me try again.\n\n".repeat(4)}✽ Fiddling… (3m 51s)`,
  ],
  [
    "claude",
    "complete",
    '{"type":"assistant","message":{"content":[]}}\n{"type":"result","subtype":"success","is_error":false,"result":"It honours 429 now."}',
  ],
  [
    "claude",
    "error/api",
    '{"type":"result","subtype":"success","is_error":false,"result":"API Error: 529 overloaded"}',
  ],
];

describe("a fragment of any program", () => {
  it.each(STATES)("of %s is %s: %s", (agent, expected, text) => {
    expect(said(agent, text)).toBe(expected);
  });
});
