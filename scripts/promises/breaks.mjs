/**
 * The smallest changes that break each promise of docs/promises.md, and the test that has to fail then. `from` stands
 * once in the file.
 */
import { ACTING } from "./acting.mjs";
import { DURABILITY } from "./durability.mjs";
import { JUDGING } from "./judging.mjs";
import { SECURITY } from "./security.mjs";

export const BREAKS = Object.entries({ ...JUDGING, ...ACTING, ...DURABILITY, ...SECURITY }).flatMap(
  ([promise, breaks]) => breaks.map((one) => ({ promise, ...one })),
);
export const BREAKS = [
  {
    promise: "A signal is stored before it is judged; a repeated one changes nothing",
    test: "src/daemon/loop-sessions.test.ts",
    file: "src/daemon/loop.ts",
    from: "signals: fresh.map(({ signal }) => signal) }, at);",
    to: "signals: [...signals] }, at);",
  },
  {
    promise:
      "With a full disk rouse loses no signal of an agent that it started, raises no alarm from what it cannot store, and does not act",
    test: "src/daemon/acting.test.ts",
    file: "src/core/policy/checks.ts",
    from: 'if (!facts.observerHealthy) return wait("rouse itself is unhealthy, so it does not act", now + RECHECK_MS);',
    to: "",
  },
  {
    promise: "The same inputs give the same decisions, live and in replay",
    test: "src/core/policy/decide.property.test.ts",
    file: "src/core/policy/decide.ts",
    from: "const action = actionOf(input, step, actions);\n  return",
    to: "const action = { ...actionOf(input, step, actions), id: String(Math.random()) };\n  return",
  },
  {
    promise: "Every verdict names its evidence, its age and its source",
    test: "src/core/judgement/assess.property.test.ts",
    file: "src/core/judgement/rules/by-silence.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text that is searched for
    from: "last activity ${formatAgo(silentMs)} (${latest(question)})`,",
    to: "last activity`,",
  },
  {
    promise: "An alert or message is sent at least once, under one key, and failed ones are shown",
    test: "src/daemon/alerting.test.ts",
    file: "src/store/outbox.ts",
    from: "for (const { channel, dueAt } of deliveries) delivery.run(key, channel, dueAt, at);",
    to: "",
  },
  {
    promise: "No message is sent about a state of less than 5 s, except an exit",
    test: "src/core/notices/due.test.ts",
    file: "src/core/notices/due.ts",
    from: "now - since >= LASTING_MS;",
    to: "now - since >= 0;",
  },
  {
    promise: "Lines of a transcript that are swapped, copied or damaged change no verdict",
    test: "test/quick/damaged-records.test.ts",
    file: "src/readers/records/copies.ts",
    from: "if (this.#seen.get(key)) return true;",
    to: "",
  },
  {
    promise: "An action is carried out at most once: intent before it, outcome after it",
    test: "src/daemon/action-runner.test.ts",
    file: "src/daemon/action-runner.ts",
    from: "      saveProblem === null\n",
    to: "      saveProblem !== undefined\n",
  },
  {
    promise: "Nothing is typed into a prompt, a draft, a running turn or while a user types",
    test: "src/effects/keys/nudge.test.ts",
    file: "src/effects/keys/nudge.ts",
    from: 'if (others === "asking") return refusedResult("the program is waiting for an answer");',
    to: "",
  },
  {
    promise:
      "Ending an agent needs permission, two kinds of evidence, a budget, proven identity and a healthy observer",
    test: "src/core/policy/decide.property.test.ts",
    file: "src/core/policy/checks.ts",
    from: "assessment.kinds.length >= 2",
    to: "assessment.kinds.length >= 1",
  },
  {
    promise:
      "Two supervisors never act on one session: rouse does nothing about a dead one before the program's own supervisor has had its time",
    test: "src/core/policy/decide.test.ts",
    file: "src/core/policy/decide.ts",
    from: "  if (supervisor)\n",
    to: "  if (supervisor === null)\n",
  },
  {
    promise: "A permission, login, billing problem or refusal is left to the user, whatever a policy says",
    test: "src/core/policy/problems.test.ts",
    file: "src/core/policy/problems.ts",
    from: 'humanOnly: true,\n    onlyActions: null,\n    wording: "was refused by the provider\'s policy",',
    to: 'humanOnly: false,\n    onlyActions: null,\n    wording: "was refused by the provider\'s policy",',
  },
  {
    promise: "Sleep, a suspended daemon or a clock jump makes no agent stuck",
    test: "src/daemon/loop-time.property.test.ts",
    file: "src/core/awake.ts",
    from: "for (const span of asleep) ms -= lostWithin(span, from, to);",
    to: "",
  },
  {
    promise: "Time in which an agent waited for a CPU is not silence",
    test: "src/core/awake.test.ts",
    file: "src/core/awake.ts",
    from: "let lost = signal.lostMs ?? to - from;",
    to: "let lost = signal.lostMs === undefined ? to - from : 0;",
  },
  {
    promise: "Every change of the journal's file by anything but rouse is noticed, and a damaged row costs that row",
    test: "src/store/journal-damage.test.ts",
    file: "src/store/page-sums.ts",
    from: "if (sum !== this.#sums[page - 1] && !inLog.sums.has(page)) wrong++;",
    to: "if (sum === undefined) wrong++;",
  },
  {
    promise: "After a lost journal open questions are reported again, and no agent is accused",
    test: "src/terminal/daemon-link.test.ts",
    file: "src/terminal/daemon-link.ts",
    from: "resend || this.#isIncomplete || acked < this.#confirmed",
    to: "resend || this.#isIncomplete",
  },
  {
    promise: "A restart loses no incident, session, permission or silence; an old state folder opens",
    test: "src/daemon/loop-restart.test.ts",
    file: "src/daemon/self/restore.ts",
    from: "    history.flush();\n    if (!from",
    to: "    if (!from",
  },
  {
    promise:
      "A restart from a snapshot and the signals after it knows exactly what the whole journal gives; another release's or a damaged snapshot is not used",
    test: "src/daemon/self/compaction.property.test.ts",
    file: "src/core/session-judge.ts",
    from: "this.since = known?.since ?? now;",
    to: "this.since = now;",
  },
  {
    promise: "Signals that are removed are overwritten in the file",
    test: "src/store/journal.test.ts",
    file: "src/store/journal-file.ts",
    from: "pragma secure_delete = on",
    to: "pragma secure_delete = off",
  },
  {
    promise: "Control characters never leave rouse; secrets in known formats are masked",
    test: "src/core/text/sanitize.test.ts",
    file: "src/core/text/sanitize.ts",
    from: "\\u061c",
    to: "",
  },
  {
    promise:
      "An agent reports only about itself, whatever it claims; only the owner of an inbox acknowledges; no client sends in rouse's name or takes its keys",
    test: "src/daemon/intake/callers.test.ts",
    file: "src/daemon/intake/callers.ts",
    from: "(pid === undefined ? null : enclosing(pid, sessions, OUTSIDE))?.id ?? claimed;",
    to: "claimed ?? (pid === undefined ? null : enclosing(pid, sessions, OUTSIDE))?.id;",
  },
  {
    promise:
      "An agent reports only about itself, whatever it claims; only the owner of an inbox acknowledges; no client sends in rouse's name or takes its keys",
    test: "src/api/socket.test.ts",
    file: "src/api/service/messages.ts",
    from: "    checkOwner(identity, receiver, this.#receiver(undefined));\n",
    to: "",
  },
  {
    promise:
      "An agent reports only about itself, whatever it claims; only the owner of an inbox acknowledges; no client sends in rouse's name or takes its keys",
    test: "src/store/messages.test.ts",
    file: "src/store/messages.ts",
    from: "const key = clientKey(sender, message.key);",
    to: "const { key } = message;",
  },
  {
    promise:
      "An agent cannot change permissions, silences or settings, end or type into agents, or answer a dialog through rouse; an orchestrator controls its workers only",
    test: "src/api/socket.test.ts",
    file: "src/api/operations/index.ts",
    from: "  services.access.checkInside({ operation: name, fromInside, input: parsed.data ?? {} }, identity);\n",
    to: "",
  },
  {
    promise:
      "An agent cannot change permissions, silences or settings, end or type into agents, or answer a dialog through rouse; an orchestrator controls its workers only",
    test: "src/api/service/access.test.ts",
    file: "src/api/service/access.ts",
    from: "  if (isWorker(target, own)) return null;\n",
    to: "  return null;\n",
  },
  {
    promise: "A project file can only make rules stricter",
    test: "src/config/load.test.ts",
    file: "src/config/key.ts",
    from: "return Number(wanted) <= Number(current) ? null",
    to: "return Number.isFinite(Number(wanted)) ? null",
  },
  {
    promise:
      "A session that lost its task can no longer write: the store refuses it by its fence and records the attempt",
    test: "test/quick/hub-sqlite.test.ts",
    file: "src/hub/sqlite/claims.ts",
    from: "if (claim && claim.ended === null) return",
    to: "if (claim) return",
  },
  {
    promise: "A task is held by one session at a time, on every store and behind a pooler",
    test: "test/quick/hub-sqlite.test.ts",
    file: "src/hub/sqlite/claims.ts",
    from: "if (task.claim) return { refused: heldBy(task.claim) };",
    to: "",
  },
  {
    promise: "The daemon's death is noticed from outside",
    test: "src/daemon/self/pulse.test.ts",
    file: "src/daemon/self/pulse.ts",
    from: "now - this.#sentAt < this.#options.everyMs) return;",
    to: "now - this.#sentAt < this.#options.everyMs * 9) return;",
  },
  {
    promise:
      "No agent can break a frame of `rouse top`, and the terminal is restored when the daemon or `top` is killed",
    test: "src/cli/top/frame.test.ts",
    file: "src/cli/top/frame.ts",
    from: "shown.map((line) => cut(line, width))",
    to: "shown.map((line) => line)",
  },
  {
    promise:
      "`rouse top` types only through the guarded operation, never into a permission dialog, and recovers only after `y`",
    test: "src/cli/top/press.test.ts",
    file: "src/cli/top/press.ts",
    from: 'return key === "y" ?',
    to: 'return key === "y" || key === "enter" ?',
  },
];

export function mutantOf({ file, from, to }, source) {
  const start = source.indexOf(from);
  if (start < 0 || source.indexOf(from, start + 1) >= 0) throw new Error(`${file} does not hold this once: ${from}`);
  return { file, start, end: start + from.length, text: to };
}
