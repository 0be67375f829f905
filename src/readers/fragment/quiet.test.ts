import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alarms, judge, said } from "../../../test/support/fragments.js";

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
  ["gemini", "unknown", "! Shell awaiting input (Tab to focus)"],
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
  // The same words where they are no trouble.
  ["claude", "working", "⏺ Bash(make all)\n  ⎿  Running… (3h 50m)\n\n✻ Noodling… (4h 2m · ↓ 212 tokens)"],
  ["claude", "working", "⏺ Bash(make)\n  ⎿  Running… (2m 3s · timeout 3m)"],
  ["claude", "unknown", '⏺ Bash(cat install.sh)\n  ⎿  read -p "Proceed? [y/n] " answer\n     echo "password: "'],
  ["some", "unknown", '  File "/opt/a/test_b.py", line 14, in test_b\nAssertionError: 1 != 2'],
  ["some", "unknown", "✗ Authentication failed\nFixed the token; all 12 tests pass."],
  [
    "claude",
    "working",
    `${"⏺ Update(a.py)\n  ⎿  Error editing file\n\n⏺ Let me try again.\n\n".repeat(2)}✽ Fiddling… (51s)`,
  ],
  ["claude", "unknown", "⏺ Bash(docker compose logs)\n  ⎿  web-1 exited with code 137"],
  ["some", "unknown", "[2026-11-15T11:59:40] stream error: it broke; retrying 4/5 in 1.6s…"],
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

/** What other programs show, and what agents say of errors. */
const OTHERS: [agent: string, text: string][] = [
  ["claude", "● Unauthorized users get a page of their own."],
  ["claude", "● 403 forbidden responses are written to the log."],
  ["claude", "● 500 internal errors are gone."],
  ["codex", "• Your account has a disabled state, and a button for it."],
  ["claude", "● Your plan is on hold until the tests pass, as you asked."],
  [
    "gemini",
    "▌✕ [API Error: The stream ended without a reason.]\n▌\n▌╭─────────╮\n▌│  > ok?  │\n▌╰─────────╯\n▌\n▌✦ Yes. The review is complete, and the two systems are one.\n▌The files agree with it.",
  ],
  [
    "claude",
    Array.from(
      { length: 4 },
      () =>
        "✶ Stewing… (esc to interrupt)\n  ⎿ Tip: Begin with something small, ask for\n    a plan, and look at what comes of it",
    ).join("\n\n"),
  ],
  [
    "claude",
    "Would you like to run these commands?\nPress Y to run the commands above (Y/N): Y\n!\n! Can't write to /usr/local/share",
  ],
  ["claude", '● The CLI prints "Not logged in" and asks you to run /login.'],
  ["codex", "• Team quota reached is what the server answers when I send the eleventh request."],
  ["claude", '● Bash(npm test)\n  ⎿  Error: 401: {"message":"wrong key in the fixture"}'],
  ["claude", "  Yes\n  No"],
];

describe("a fragment without trouble", () => {
  it.each(QUIET)("of %s is %s: %s", (agent, expected, text) => {
    expect(judge(agent, text).state).toBe(expected);
  });

  it.each([...TRAPS, ...OTHERS])("of %s that only speaks of it alarms nobody: %s", (agent, text) => {
    expect(alarms(agent, text), said(agent, text)).toBe(false);
  });

  it("may be any text: nothing throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.constantFrom("claude", "codex", "gemini", "opencode", "other"),
        (text, agent) => {
          judge(agent, text);
        },
      ),
    );
  });
});
