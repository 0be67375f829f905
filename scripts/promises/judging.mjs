/** Breaks of the promises about judging, notices and time: see breaks.mjs. */
export const JUDGING = {
  "A signal is stored before it is judged, unless the disk is full; a repeated one changes nothing": [
    {
      test: "src/daemon/loop-sessions.test.ts",
      file: "src/daemon/loop.ts",
      from: 'by: from === null ? "sensor" : "host", signals }, at);',
      to: 'by: from === null ? "sensor" : "host", signals: sent }, at);',
    },
    {
      test: "src/store/journal-file.test.ts",
      file: "src/store/journal-file.ts",
      from: "pragma synchronous = full;",
      to: "pragma synchronous = off;",
    },
  ],
  "With a full disk rouse loses no signal of an agent that it started, judges and alerts from memory, sends nothing twice when there is room again, and does not act":
    [
      {
        test: "src/daemon/acting.test.ts",
        file: "src/core/policy/checks.ts",
        from: "if (!facts.observerHealthy)",
        to: "if (facts.observerHealthy === null)",
      },
      {
        test: "src/daemon/loop-sessions.test.ts",
        file: "src/daemon/signal-store.ts",
        from: "else this.#judgedUpTo.set(session, seq);",
        to: "",
      },
      {
        test: "src/daemon/alerting.test.ts",
        file: "src/daemon/notice-store.ts",
        from: "this.#alerts.keep(alertsIn(effects));",
        to: "",
      },
      {
        test: "src/daemon/alerting.test.ts",
        file: "src/daemon/alert-outbox.ts",
        from: "this.#memory?.moveTo(this.stored);",
        to: "",
      },
    ],
  "The same inputs give the same decisions, live and in replay": [
    {
      test: "src/core/policy/decide.property.test.ts",
      file: "src/core/policy/decide.ts",
      from: "const action = actionOf(input, step, actions);\n  return",
      to: "const action = { ...actionOf(input, step, actions), id: String(Math.random()) };\n  return",
    },
  ],
  "Every verdict names its evidence, its age and its source": [
    {
      test: "src/core/judgement/assess.property.test.ts",
      file: "src/core/judgement/rules/by-silence.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text that is searched for
      from: "last activity ${formatAgo(silentMs)} (${latest(question)})`,",
      to: "last activity`,",
    },
  ],
  "An alert or message is sent at least once, under one key, and failed ones are shown": [
    {
      test: "src/daemon/alerting.test.ts",
      file: "src/store/outbox.ts",
      from: "for (const { channel, dueAt } of deliveries) delivery.run(key, channel, dueAt, at);",
      to: "",
    },
    {
      test: "src/store/messages.test.ts",
      file: "src/store/messages.ts",
      from: "order by acked_at is null, id limit ?",
      to: "order by id limit ?",
    },
  ],
  "No message is sent about a state of less than 5 s, except an exit": [
    {
      test: "src/core/notices/due.test.ts",
      file: "src/core/notices/due.ts",
      from: "now - since >= LASTING_MS;",
      to: "now - since >= 0;",
    },
  ],
  "Lines of a transcript that are swapped, copied or damaged change no verdict": [
    {
      test: "test/quick/damaged-records.test.ts",
      file: "src/readers/records/copies.ts",
      from: "if (this.#seen.get(key)) return true;",
      to: "",
    },
  ],
  "Sleep, a suspended daemon or a clock jump makes no agent stuck": [
    {
      test: "src/daemon/loop-time.property.test.ts",
      file: "src/core/awake.ts",
      from: "for (const span of asleep) ms -= lostWithin(span, from, to);",
      to: "",
    },
  ],
  "Time in which an agent waited for a CPU is not silence": [
    {
      test: "src/core/awake.test.ts",
      file: "src/core/awake.ts",
      from: "let lost = signal.lostMs ?? to - from;",
      to: "let lost = signal.lostMs === undefined ? to - from : 0;",
    },
    {
      test: "src/sensors/process/starvation.test.ts",
      file: "src/sensors/process/starvation.ts",
      from: "Math.min(share, LOST_SHARE_MAX) * spanMs",
      to: "0 * spanMs",
    },
  ],
};
