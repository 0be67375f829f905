/** Breaks of the promises about durability: see breaks.mjs. */
export const DURABILITY = {
  "Every change of the journal's file by anything but rouse is noticed, and a damaged row costs that row": [
    {
      test: "src/store/journal-damage.test.ts",
      file: "src/store/page-sums.ts",
      from: "if (sum !== this.#sums[page - 1] && !inLog.sums.has(page)) wrong++;",
      to: "if (sum === undefined) wrong++;",
    },
    {
      test: "src/daemon/self/journal-upkeep.test.ts",
      file: "src/daemon/self/journal-upkeep.ts",
      from: "if (found !== null) loop.storeAgain();",
      to: "",
    },
    {
      test: "src/store/journal-damage.test.ts",
      file: "src/store/incident-table.ts",
      from: "LISTS.includes(list) && isIncidentEntry(list, entry)",
      to: "LISTS.includes(list)",
    },
  ],
  "After a lost journal open questions are reported again, and no agent is accused": [
    {
      test: "src/terminal/daemon-link.test.ts",
      file: "src/terminal/daemon-link.ts",
      from: "resend || this.#isIncomplete || acked < this.#confirmed",
      to: "resend || this.#isIncomplete",
    },
    {
      test: "src/core/session-judge.test.ts",
      file: "src/core/session-judge.ts",
      from: 'this.session.origin === "transcript" || this.#missedStart',
      to: 'this.session.origin === "transcript"',
    },
  ],
  "A restart loses no incident, session, permission or silence; an old state folder opens": [
    {
      test: "src/daemon/loop-restart.test.ts",
      file: "src/daemon/self/restore.ts",
      from: "    history.flush();\n    if (!from",
      to: "    if (!from",
    },
  ],
  "A damaged journal is set aside with its write-ahead log, never deleted": [
    {
      test: "src/store/journal-file.test.ts",
      file: "src/store/journal-file.ts",
      from: "renameSync(path + suffix, aside + suffix)",
      to: 'process.getBuiltinModule("node:fs").rmSync(path + suffix)',
    },
    {
      test: "src/store/journal-file.test.ts",
      file: "src/store/journal-file.ts",
      from: '["", "-wal", "-shm", "-journal", "-sums"]',
      to: '["", "-journal", "-sums"]',
    },
  ],
  "A restart from a snapshot and the signals after it knows exactly what the whole journal gives; another release's or a damaged snapshot is not used":
    [
      {
        test: "src/daemon/self/compaction.property.test.ts",
        file: "src/core/session-judge.ts",
        from: "this.since = known?.since ?? now;",
        to: "this.since = now;",
      },
    ],
};
