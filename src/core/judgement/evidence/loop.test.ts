import { describe, expect, it } from "vitest";
import { type Call, read, type Story, said, story, user } from "../../../../test/support/loop-stories.js";
import type { LoopVerdict } from "./loop.js";

describe("a loop", () => {
  const loops: [what: string, tale: Story, cause: LoopVerdict["cause"], rounds: number][] = [
    ["the same call with the same result", story().times(4, (s) => s.call({ args: "pwd", result: "/w" })), "loop", 4],
    ["the same failing call", story().times(4, (s) => s.call({ args: "x", fails: "boom" })), "repeated_error", 4],
    [
      "the same error with other arguments",
      story().times(5, (s, i) => s.call({ args: `${i}`, fails: "no such tool" })),
      "repeated_error",
      5,
    ],
    [
      "a login that is refused every time",
      story().times(5, (s, i) => s.call({ args: `${i}`, fails: "401", infra: "auth" })),
      "repeated_error",
      5,
    ],
    [
      "results that differ only in noise",
      story().times(7, (s, i) => s.call({ args: "x", result: "run", raw: `run ${i}` })),
      "loop",
      7,
    ],
    [
      "failures that differ only in noise",
      story().times(4, (s, i) => s.call({ args: "x", fails: "boom", raw: `boom ${i}` })),
      "repeated_error",
      4,
    ],
    [
      "results that differ only in text that the program adds",
      story().times(4, (s, i) => s.call({ args: "x", result: "run", stable: "run", raw: `run ${i}` })),
      "loop",
      4,
    ],
    [
      "equal failures in replies with the same name",
      story().times(4, (s) => s.call({ args: "x", fails: "boom", round: "1" })),
      "repeated_error",
      4,
    ],
    [
      "a cycle of failures that includes a subagent",
      story().times(4, (s) =>
        s
          .call({ args: "write", fails: "not available in this mode" })
          .call({ class: "subagent", args: "write it", result: "I could not" }),
      ),
      "repeated_error",
      4,
    ],
    ["calls without any results", story().times(5, (s) => s.start({ args: "x" })), "loop", 5],
    ["the same message again", story().times(4, (s) => s.say(said("I go on now."))), "loop", 4],
    [
      "a text that repeats",
      story().say({ kind: "repetition", channel: "content", period: 30, repeats: 12 }),
      "loop",
      12,
    ],
    [
      "compactions without work in between",
      story().times(3, (s) => s.say({ kind: "compaction", phase: "end" })),
      "no_progress",
      3,
    ],
    [
      "compactions that never end",
      story().times(4, (s) => s.say({ kind: "compaction", phase: "start" })),
      "no_progress",
      3,
    ],
    [
      "a program that fails in the same way",
      story().times(5, (s) => s.say({ kind: "error", cause: "api", final: false, digest: "e" })),
      "repeated_error",
      5,
    ],
    [
      "a file read, compacted away and read again",
      story().times(3, (s) => s.call(read("big")).say({ kind: "compaction", phase: "end" })),
      "no_progress",
      3,
    ],
    [
      "an equal set of parallel calls",
      story().times(4, (s, i) => {
        const ids = ["a", "b"].map((file) => s.start({ ...read(file), round: `r${i}`, after: 10 }));
        for (const id of ids) s.end(id, read(id === ids[0] ? "a" : "b"));
      }),
      "loop",
      4,
    ],
    [
      "one outcome among others",
      story().times(8, (s, i) => s.call({ args: "grep", result: "hit" }).call(read(`f${i}`))),
      "loop",
      8,
    ],
    [
      "one failure among others",
      story().times(6, (s, i) => s.call({ args: "edit", fails: "no match" }).call(read(`f${i}`))),
      "repeated_error",
      6,
    ],
  ];
  it.each(loops)("is reported for %s", (_, tale, cause, rounds) => {
    expect(tale.first()).toMatchObject({ cause, rounds });
    expect(tale.verdicts().slice(0, -1).filter(Boolean).length).toBeLessThan(tale.signals.length / 2);
  });

  it.each([1, 2, 3, 4, 5, 6])("is reported in the fourth lap of a cycle of %i", (period) => {
    const tale = story().times(4 * period, (s, i) => s.call(read(`f${i % period}`)));
    expect(tale.first()).toMatchObject({ cause: "loop", rounds: 4, period });
    expect(
      story()
        .times(3 * period, (s, i) => s.call(read(`f${i % period}`)))
        .first(),
    ).toBeUndefined();
  });

  it("is reported for an edit that is undone and repeated", () => {
    const tale = story().times(5, (s) =>
      s
        .call({ tool: "Edit", class: "edit", args: "a to b or b to a", effect: "a|b", result: "ok" })
        .call({ args: "npm test", class: "test", fails: "case 3 fails" }),
    );
    expect(tale.first()?.period).toBe(2);
  });

  it("is reported for a file that is paged through again, also with other page limits", () => {
    const page = (from: number): Call => ({
      ...read(`page ${from}`),
      subject: "big.rs",
      span: { from, to: from + 40 },
    });
    const once = story().times(60, (s, i) => s.call(page(i * 40)));
    expect(once.first()).toBeUndefined();
    expect(once.times(30, (s, i) => s.call(page(i * 40 + 7))).first()).toMatchObject({ cause: "no_progress" });
  });

  it("is reported after twenty quick polls without a new result", () => {
    const poll: Call = { tool: "BashOutput", class: "background", args: "1", result: "running" };
    expect(
      story()
        .times(19, (s) => s.call(poll))
        .first(),
    ).toBeUndefined();
    expect(
      story()
        .times(20, (s) => s.call(poll))
        .first(),
    ).toMatchObject({ cause: "loop" });
  });

  it("is explained in one sentence", () => {
    expect(
      story()
        .times(5, (s) => s.call({ args: "pwd", result: "/w" }))
        .last()?.reason,
    ).toBe("The same Bash call with the same result 5 times in 13 s (stream), with no change in between");
  });
});

describe("no loop", () => {
  const ls: Call = { args: "ls", result: "a b" };
  const healthy: [what: string, tale: Story][] = [
    ["three equal rounds", story().times(3, (s) => s.call(ls))],
    ["four equal calls without results", story().times(4, (s) => s.start(ls))],
    ["a poll whose output grows", story().times(20, (s, i) => s.call({ args: "cat log", result: `${i}` }))],
    ["different calls with one terse reply", story().times(20, (s, i) => s.call({ args: `mv ${i}`, result: "" }))],
    ["an outage", story().times(20, (s) => s.call({ args: "fetch", fails: "429", infra: "rate" }))],
    ["a refused connection", story().times(20, (s) => s.call({ args: "curl", fails: "refused", infra: "refused" }))],
    [
      "an outage of the program",
      story().times(9, (s) =>
        s.say({ kind: "error", cause: "api", final: false, digest: "e", text: "503 overloaded" }),
      ),
    ],
    ["searches without a hit", story().times(20, (s, i) => s.call({ args: `grep ${i}`, fails: "" }))],
    [
      "other tests that fail alike",
      story().times(9, (s, i) => s.call({ args: `test ${i}`, class: "test", fails: "1 failed" })),
    ],
    [
      "a background task asked once a minute",
      story().times(30, (s) => s.call({ class: "background", args: "1", result: "running", after: 60_000 })),
    ],
    [
      "an empty wait that takes its time",
      story().times(30, (s) => s.call({ class: "background", args: "", result: "", takes: 30_000 })),
    ],
    [
      "a check with a sleep between",
      story().times(20, (s) => s.call(ls).call({ args: "sleep 30", class: "sleep", takes: 30_000 })),
    ],
    ["an empty command that waits", story().times(12, (s) => s.call({ args: "", result: "", poll: true }))],
    ["a requested check every five minutes", story().times(40, (s) => s.call({ ...ls, after: 300_000 }))],
    [
      "a log that is read while a background command runs",
      story()
        .call({ args: "build", background: true, result: "started" })
        .times(9, (s) => s.call({ ...ls, after: 9000 })),
    ],
    ["heartbeats with the same answer", story().times(9, (s) => s.say(said("ok"), 300_000))],
    ["equal messages with work in between", story().times(9, (s, i) => s.say(said("Next.")).call(read(`f${i}`)))],
    [
      "a compaction that is read again and again",
      story().times(6, (s) =>
        s.say({ kind: "compaction", phase: "start" }, 0).say({ kind: "compaction", phase: "start" }, 0),
      ),
    ],
    [
      "compactions with work in between",
      story().times(9, (s, i) => s.call(read(`f${i}`)).say({ kind: "compaction", phase: "end" })),
    ],
    [
      "files read again after a compaction",
      story().times(24, (s, i) =>
        i === 12 ? s.say({ kind: "compaction", phase: "end" }) : s.call(read(`f${i % 12}`)),
      ),
    ],
    ["equal calls in one reply", story().times(8, (s) => s.start({ ...ls, round: "1", after: 10 }))],
    ["equal simultaneous calls without a named round", story().times(8, (s) => s.start({ ...ls, after: 10 }))],
    ["a command that the user requests repeatedly", story().times(9, (s) => s.say(user).call(ls))],
    [
      "a reply that is played again, without results",
      story().times(9, (s) => {
        s.start(ls);
        s.start(read("a"));
        s.say({ kind: "retry" });
      }),
    ],
    ["a reply that is played again, with results", story().times(9, (s) => s.call(ls).say({ kind: "retry" }))],
    [
      "three equal calls, each seen by two sources",
      story().times(3, (s) => {
        const from = s.signals.length;
        s.call(ls);
        s.signals.push(...s.signals.slice(from));
      }),
    ],
    ["a recall among other work", story().times(6, (s, i) => s.call(ls).call(read(`f${i}`)))],
  ];
  it.each(healthy)("is reported for %s", (_, tale) => {
    expect(tale.first()).toBeUndefined();
  });

  it("is reported for a test that fails the same way after each of nine different commands", () => {
    const tale = story().times(9, (s, i) =>
      s.call({ args: `sed ${i}`, result: "" }).call({ args: "t", fails: "case 3" }),
    );
    expect(tale.first()).toBeUndefined();
    expect(
      tale
        .times(4, (s, i) => s.call({ args: `sed more ${i}`, result: "" }).call({ args: "t", fails: "case 3" }))
        .first(),
    ).toBeDefined();
  });

  const test: Call = { args: "npm test", class: "test", fails: "case 3 fails" };
  const progress: [what: string, step: (s: Story, i: number) => unknown][] = [
    [
      "an edit that leaves something new",
      (s, i) => s.call({ tool: "Edit", class: "edit", args: `${i}`, effect: `${i}`, result: "ok" }),
    ],
    ["a file that changed", (s, i) => s.say({ kind: "file", path: "a.ts", digest: `${i}` })],
    ["a file that changed in an unknown way", (s) => s.say({ kind: "file", path: "a.ts" })],
    ["a commit", (s, i) => s.say({ kind: "commit", id: `${i}` })],
    ["another test result", (s, i) => s.say({ kind: "test", ok: false, digest: `${i}` })],
    ["a checkpoint", (s, i) => s.say({ kind: "checkpoint", step: i })],
  ];
  it.each(progress)("is reported if %s happens between equal rounds", (_, step) => {
    expect(
      story()
        .times(9, (s, i) => {
          step(s, i);
          s.call(test);
        })
        .first(),
    ).toBeUndefined();
  });

  it.each([
    [
      "a file that changes back and forth",
      (s: Story, i: number) => s.say({ kind: "file", path: "a.ts", digest: `${i % 2}` }),
    ],
    ["the same test result", (s: Story) => s.say({ kind: "test", ok: false, digest: "same" })],
    [
      "a file that is not work",
      (s: Story, i: number) => s.say({ kind: "file", path: "x.log", digest: `${i}`, role: "access" }),
    ],
    ["rouse's own message", (s: Story) => s.say({ ...user, own: true })],
  ])("is excused by %s", (_, step) => {
    expect(
      story()
        .times(9, (s, i) => {
          step(s, i);
          s.call(test);
        })
        .first(),
    ).toMatchObject({ cause: "repeated_error" });
  });
});
