/** Breaks of the promises about tasks: see breaks.mjs. */
export const WORK = {
  "A task with a check is closed as done only after its check passed; an agent's claim that contradicts it leaves the task open":
    [
      {
        test: "src/api/service/tasks.test.ts",
        file: "src/api/service/tasks.ts",
        from: "const outcome = { verification, mustBeVerified: true,",
        to: 'const outcome = { verification: "verified" as const, mustBeVerified: true,',
      },
      {
        test: "test/quick/hub-sqlite.test.ts",
        file: "src/hub/sqlite/claims.ts",
        from: "(check !== null || mustBeVerified) && verification",
        to: "check !== null && verification",
      },
      {
        test: "test/conformance/hub.test.ts",
        file: "src/hub/sqlite/claims.ts",
        from: "if (verification !== null) recordCheck(context, id, verification, error);",
        to: "",
      },
    ],
  "A check is run without a shell and ends with everything that it started; only the user sets one": [
    {
      test: "src/work/verify.test.ts",
      file: "src/work/verify.ts",
      from: "for (const pid of left) kill(pid);",
      to: "",
    },
    {
      test: "src/work/checks.test.ts",
      file: "src/work/checks.ts",
      from: "if (leader) await endLeftCheck(leader);",
      to: "",
    },
    {
      test: "src/api/service/tasks.test.ts",
      file: "src/config/own-check.ts",
      from: "loadConfig({ projects: false, env: own })",
      to: "loadConfig({ projects: false, env })",
    },
  ],
  "Keeping the state of a workspace changes no branch, index or file, runs nothing that the repository configures, and is sent by no `git push` except `--mirror`":
    [
      {
        test: "src/work/keep-state.test.ts",
        file: "src/sensors/workspace/git.ts",
        from: '"core.hooksPath=/dev/null",',
        to: "",
      },
      {
        test: "src/work/session-work.test.ts",
        file: "src/work/inferred.ts",
        from: "< EVERY_MS) return false;",
        to: "< 0) return false;",
      },
    ],
  "A line of an agent's reply is a checkpoint only alone on its line, never in a prompt, a tool's input or result, code, a diff or a quotation, and only for a task that the session holds":
    [
      {
        test: "src/readers/records/marked-checkpoints.test.ts",
        file: "src/readers/records/marked-checkpoints.ts",
        from: "if (!text.includes(WORD) || text.includes(ROUSE_MARK)) return [];",
        to: "if (!text.includes(WORD)) return [];",
      },
      {
        test: "src/readers/records/marked-checkpoints.test.ts",
        file: "src/readers/records/marked-checkpoints.ts",
        from: "    fence = mark;\n",
        to: "",
      },
      {
        test: "src/work/session-work.test.ts",
        file: "src/work/session-work.ts",
        from: "|| mark.at < task.claim.claimedAt",
        to: "",
      },
    ],
};
