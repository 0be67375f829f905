/** Breaks of the promises about acting and rouse's own end: see breaks.mjs. */
export const ACTING = {
  "An action is carried out at most once: intent before it, outcome after it": [
    {
      test: "src/daemon/action-runner.test.ts",
      file: "src/daemon/action-runner.ts",
      from: "      saveProblem === null\n",
      to: "      saveProblem !== undefined\n",
    },
    {
      test: "src/daemon/acting.test.ts",
      file: "src/daemon/loop.ts",
      from: "effect.session, now, problem);",
      to: "effect.session, now, null);",
    },
    {
      test: "test/sim/sweep.test.ts",
      file: "src/daemon/loop.ts",
      from: "effect.session, now, problem);",
      to: "effect.session, now, null);",
    },
  ],
  "Nothing is typed into a prompt, a draft, a running turn or while a user types": [
    {
      test: "src/effects/keys/nudge.test.ts",
      file: "src/effects/keys/nudge.ts",
      from: 'if (others === "asking") return refusedResult("the program is waiting for an answer");',
      to: "",
    },
    {
      test: "src/core/policy/typing-checks.test.ts",
      file: "src/core/policy/typing-checks.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text that is searched for
      from: "`a dialog is open (${dialog})`",
      to: "null",
    },
    {
      test: "src/core/policy/typing-checks.test.ts",
      file: "src/core/policy/typing-checks.ts",
      from: 'return "the composer contains a draft";',
      to: "return null;",
    },
    {
      test: "src/core/policy/typing-checks.test.ts",
      file: "src/core/policy/typing-checks.ts",
      from: 'return turn === "idle" ? "a turn is running" : "no turn is running";',
      to: "return null;",
    },
    {
      test: "src/core/policy/typing-checks.test.ts",
      file: "src/core/policy/typing-checks.ts",
      from: "(quietMs < precondition.quietMs ?",
      to: "(quietMs < 0 ?",
    },
  ],
  "Ending an agent needs permission, two kinds of evidence, a budget, proven identity and a healthy observer": [
    {
      test: "src/core/policy/decide.property.test.ts",
      file: "src/core/policy/checks.ts",
      from: 'assessment.level === "act" && assessment.kinds.length >= 2',
      to: 'assessment.level === "act" && assessment.kinds.length >= 1',
    },
    {
      test: "src/core/policy/decide.property.test.ts",
      file: "src/core/policy/checks.ts",
      from: "if (facts.allowed) return null;",
      to: "return null;",
    },
    {
      test: "src/core/policy/decide.property.test.ts",
      file: "src/core/policy/checks.ts",
      from: "if (!spent) return null;",
      to: "return null;",
    },
    {
      test: "src/core/policy/decide.property.test.ts",
      file: "src/core/policy/checks.ts",
      from: "if (!facts.observerHealthy)",
      to: "if (facts.observerHealthy === null)",
    },
    {
      test: "src/effects/process/stop.test.ts",
      file: "src/effects/process/stop.ts",
      from: "if (identityOf(pid) !== pidStart) return",
      to: "if (identityOf(pid) === null) return",
    },
  ],
  "Two supervisors never act on one session: rouse does nothing about a dead one before the program's own supervisor has had its time":
    [
      {
        test: "src/core/policy/decide.test.ts",
        file: "src/core/policy/decide.ts",
        from: "  if (supervisor)\n",
        to: "  if (supervisor === null)\n",
      },
    ],
  "A permission, login, billing problem or refusal is left to the user, whatever a policy says": [
    {
      test: "src/core/policy/problems.test.ts",
      file: "src/core/policy/problems.ts",
      from: 'humanOnly: true,\n    onlyActions: null,\n    wording: "was refused by the provider\'s policy",',
      to: 'humanOnly: false,\n    onlyActions: null,\n    wording: "was refused by the provider\'s policy",',
    },
  ],
  "The daemon's death is noticed from outside": [
    {
      test: "src/daemon/self/pulse.test.ts",
      file: "src/daemon/self/pulse.ts",
      from: "now - this.#sentAt < this.#options.everyMs) return;",
      to: "now - this.#sentAt < this.#options.everyMs * 9) return;",
    },
  ],
  "A session that lost its task can no longer write: the store refuses it by its fence and records the attempt": [
    {
      test: "test/quick/hub-sqlite.test.ts",
      file: "src/hub/sqlite/claims.ts",
      from: "if (claim && claim.ended === null) return",
      to: "if (claim) return",
    },
  ],
  "A task is handed to a continuation at most twice; then it has failed, and one escalation has the whole history": [
    {
      test: "src/work/seed-scenarios.test.ts",
      file: "src/hub/sqlite/claims.ts",
      from: "where id = ? and continuations < max_continuations",
      to: "where id = ?",
    },
  ],
  "A task is held by one session at a time, on every store and behind a pooler": [
    {
      test: "test/quick/hub-sqlite.test.ts",
      file: "src/hub/sqlite/claims.ts",
      from: "if (task.claim) return { refused: heldBy(task.claim) };",
      to: "",
    },
  ],
  "The view `rouse top` types only through the guarded operation, never into a permission dialog, and recovers only after `y`":
    [
      {
        test: "src/cli/top/press.test.ts",
        file: "src/cli/top/press.ts",
        from: 'return key === "y" ?',
        to: 'return key === "y" || key === "enter" ?',
      },
    ],
  "What another client holds in a tracker is left to it and named; no item is started twice; updates survive lost answers and restarts":
    [
      {
        test: "src/work/sources/source-sync.test.ts",
        file: "src/work/sources/source-sync.ts",
        from: "if (before !== null) return before;",
        to: "",
      },
      {
        test: "src/work/sources/source-sync.test.ts",
        file: "src/work/sources/source-sync.ts",
        from: "if (after !== null) {",
        to: "if (false) {",
      },
    ],
  "An alert never waits for a model: the explanation is part of it or follows once as its update, and a model that hangs or fails changes no incident":
    [
      {
        test: "test/quick/diagnosis.test.ts",
        file: "src/core/notices/plan.ts",
        from: "if (explained) return",
        to: "if (explained === null) return",
      },
      {
        test: "test/quick/diagnosis.test.ts",
        file: "src/core/notices/notice.ts",
        from: "opinion == null || opinion.message === null",
        to: "opinion == null || opinion.text !== null",
      },
    ],
  "A model only advises: whatever it answers, no action is carried out that the user has not permitted and whose precondition rouse has not checked at that moment":
    [
      {
        test: "src/diagnosis/whitelist.test.ts",
        file: "src/diagnosis/whitelist.ts",
        from: "!permitted.includes(action.type)",
        to: "permitted.length < 0",
      },
      {
        test: "src/diagnosis/whitelist.test.ts",
        file: "src/diagnosis/act.ts",
        from: "if (objection !== null)",
        to: "if (objection === key)",
      },
    ],
};
