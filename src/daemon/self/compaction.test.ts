import { rmSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { afterEach, describe, expect, it } from "vitest";
import { agent, TestLoop, type Untimed, WORKING } from "../../../test/support/loops.js";
import { screen } from "../../../test/support/steps.js";
import { createNodeState } from "../../core/node-state.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import type { Journal } from "../../store/journal.js";
import { loadSqlite } from "../../store/sqlite.js";
import { Compaction } from "./compaction.js";
import { restoreSessions } from "./restore.js";
import { habitsIn } from "./session-snapshot.js";

let test: TestLoop;
afterEach(() => test.close());

const call = (n: number): Untimed<Signal>[] => [
  {
    kind: "tool_start",
    source: "transcript",
    id: `t${n}`,
    tool: "Bash",
    class: "shell",
    call: `npm test ${n}`,
    subject: "npm test",
  },
];
const result = (n: number): Untimed<Signal>[] => [
  { kind: "tool_end", source: "transcript", id: `t${n}`, ok: true, outcome: `o${n}`, raw: `r${n}` },
  screen({ busy: true, moving: true, replying: true, reply: `words ${n}` }),
];

/** An agent that has worked for some minutes, with a snapshot of most of it. */
async function worked(turns = 40): Promise<void> {
  test = await TestLoop.working();
  for (let n = 0; n < turns; n++) {
    await test.send("s1", call(n));
    test.run(4);
    await test.send("s1", result(n));
    test.run(3);
  }
}

function compact(release = "test"): void {
  const compaction = new Compaction({
    journal: test.journal,
    state: test.loop.state,
    release,
    limits: { tailAgeMs: 0, looseBytes: 1, pieceMs: 60_000 },
  });
  for (let piece = 0; piece < 20 && compaction.step(test.loop.now()); piece++);
}

/** Of the shape of a snapshot, with something else in one place, and things that are none. */
function hostileStates(data: Uint8Array): Uint8Array[] {
  const changed = (change: (snapshot: Record<string, never>) => unknown): Uint8Array => {
    const snapshot = deserialize(data) as Record<string, never>;
    const other = change(snapshot);
    return serialize(other ?? snapshot);
  };
  const set = (object: object, fields: object): undefined => void Object.assign(object, fields);
  const evidence = ({ judge }: { judge: { evidence: Record<string, object> } }) => judge.evidence;
  return [
    new Uint8Array(),
    data.subarray(0, data.length / 2),
    Buffer.alloc(10_000, 0xff),
    serialize(null),
    serialize({ judge: null }),
    changed((snapshot) => set(snapshot, { judge: [] })),
    changed((snapshot) => set(evidence(snapshot as never), { turn: 7 })),
    changed((snapshot) => set(evidence(snapshot as never), { tools: { open: new Set([1]) } })),
    changed((snapshot) => set(evidence(snapshot as never).tools ?? {}, { open: new Map([["x", null]]) })),
    changed((snapshot) => set(evidence(snapshot as never).progress ?? {}, { seen: null })),
    changed((snapshot) => set(snapshot, { at: Number.NaN })),
    changed((snapshot) => set(snapshot, { batch: 1e15 })),
  ];
}

/** What a restart reads and knows now; without snapshots if they are not used. */
function restored({ usesSnapshots = true, release = "test", signalsMax = 100_000 } = {}) {
  const { journal: real, hand, stepRules } = test;
  const journal: Journal = usesSnapshots
    ? real
    : new Proxy(real, {
        get: (target, name: keyof Journal) => {
          if (name === "snapshot") return () => null;
          const value = target[name];
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
  const state = createNodeState(stepRules);
  const restoring = restoreSessions({ state, journal, clock: hand.clock, lastObserved: null, release, signalsMax });
  let next = restoring.next();
  while (!next.done) next = restoring.next();
  const judges = [...state.sessions.values()];
  const { signals, incomplete, effects } = next.value;
  return { signals, known: { incomplete, effects, states: judges.map((judge) => judge.state) }, judges };
}

function inFile(...sql: string[]): void {
  test.journal.close();
  const database = loadSqlite().open(test.journalPath);
  for (const each of sql) database.exec(each);
  database.close();
  test.restart();
}

describe("a restart from a snapshot", () => {
  it("reads only the signals after it, and knows and does the same as from the whole journal", async () => {
    await worked();
    compact();
    await test.send("s1", call(99));
    test.run(5);
    const [short, whole] = [restored(), restored({ usesSnapshots: false })];
    expect(short.signals).toBeLessThan(10);
    expect(whole.signals).toBeGreaterThan(100);
    expect(short.known).toStrictEqual(whole.known);
  });

  it("keeps an open question and its incident", async () => {
    await worked(5);
    await test.send("s1", [{ kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }]);
    test.run(20);
    compact();
    test.restart();
    expect([test.restored, test.says()]).toEqual([0, "needs_input/permission"]);
    expect(test.loop.incidents.incidents).toMatchObject([{ problem: "needs_input" }]);
  });

  it.each<[string, () => void]>([
    ["of another release", () => compact("0.0.9")],
    ["whose checksum is wrong", () => inFile("update snapshots set batch = batch + 1")],
    ["that is cut off", () => inFile("update snapshots set data = substr(data, 1, 100)")],
    ["that is empty", () => inFile("update snapshots set data = x'', crc = 0")],
  ])("reads the whole history in place of a snapshot %s, and makes a new one", async (_, damage) => {
    await worked(10);
    compact();
    damage();
    const whole = restored({ usesSnapshots: false });
    const found = restored();
    expect(found.known).toStrictEqual(whole.known);
    expect([found.signals, whole.signals > 20]).toEqual([whole.signals, true]);
    compact();
    expect(restored().signals).toBeLessThan(5);
  });

  it("ignores bytes with a valid checksum that are no state, whatever they claim to be", async () => {
    await worked(3);
    compact();
    const stored = test.journal.snapshot("s1");
    if (!stored) throw new Error("there is no snapshot");
    for (const data of hostileStates(stored.data)) {
      test.journal.putSnapshot("s1", { ...stored, data });
      test.restart();
      expect([test.restored > 5, test.says(), test.loop.find("s1")?.judgingError]).toEqual([true, "working", null]);
    }
  });

  it("costs one session's snapshot, not another's", async () => {
    await worked(10);
    test.loop.register(agent({ id: "s2", name: "web" }));
    await test.send("s2", WORKING);
    test.run(5);
    compact();
    inFile("update snapshots set crc = 1 where session_no = (select no from sessions where session = 's2')");
    expect(test.restored).toBeLessThan(10);
    expect([test.says("api"), test.says("web")]).toEqual(["working", "working"]);
  });

  it("forgets what a damaged packed row may have contradicted, and asks for the agent's screen", async () => {
    await worked(10);
    compact();
    inFile("update packed set data = substr(data, 1, 50)", "delete from snapshots");
    expect([...test.loop.incomplete]).toEqual(["s1"]);
    compact();
    test.restart();
    expect([...test.loop.incomplete]).toEqual(["s1"]);
  });
});

describe("what was learned", () => {
  it("stays when the signals that taught it are removed, also for another release", async () => {
    await worked();
    compact();
    const learned = (judge: SessionJudge | undefined | null) =>
      judge && habitsIn(judge).find(({ head: command }) => command === "npm test");
    const before = learned(test.loop.find("s1"));
    expect(before?.gaps.length).toBeGreaterThan(0);
    test.run(600);
    test.journal.prune({ now: test.loop.now(), maxAgeMs: 60_000, maxBytes: 1e12 });
    await test.send("s1", WORKING);
    test.run(5);
    expect(learned(restored({ usesSnapshots: false }).judges[0])).toBeUndefined();
    for (const release of ["0.0.8", "0.0.9"]) {
      compact(release);
      expect(learned(restored({ release: `${release}.1` }).judges[0])).toEqual(before);
    }
  });
});

describe("a snapshot without what follows it", () => {
  it("is not continued", async () => {
    await worked(3);
    compact();
    await test.send("s1", [{ kind: "turn", source: "transcript", phase: "end" }]);
    test.run(5);
    test.journal.prune({ now: test.loop.now() + 1e9, maxAgeMs: 1, maxBytes: 1e12 });
    expect(test.journal.snapshot("s1")?.fits).toBe("");
    await test.send("s1", WORKING);
    const [found, whole] = [restored(), restored({ usesSnapshots: false })].map(({ judges: [judge] }) => judge?.state);
    expect(found?.evidence.turn).toStrictEqual(whole?.evidence.turn);
    expect(found?.timeline).toStrictEqual(whole?.timeline);
  });

  it("is not continued in a journal that replaced a damaged one", async () => {
    await worked(3);
    compact();
    rmSync(test.journalPath);
    expect(test.journal.checkFile()).toMatch(/deleted/);
    expect(test.journal.snapshot("s1")?.fits).toBe("");
  });
});

describe("a history that is too long to be read at once", () => {
  it("is read from its newest signals on, and the agent's screen is asked for", async () => {
    await worked(120);
    const whole = test.journal.stats().signals;
    expect(whole).toBeGreaterThan(300);
    const all = restored();
    expect([all.signals, all.known.incomplete]).toEqual([whole, []]);
    const newest = restored({ signalsMax: 0 });
    expect([newest.signals, newest.known.incomplete]).toEqual([200, ["s1"]]);
    expect(newest.judges[0]?.assessment.state).toBe("working");
    compact();
    const short = restored({ signalsMax: 0 });
    expect([short.signals, short.known.incomplete]).toEqual([0, []]);
  });
});
