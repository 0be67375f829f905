import { describe, expect, it } from "vitest";
import { enclosingSession, enclosingSessions, type ProcessPlace, type ReadPlace } from "./enclosing.js";

/** pid, parent, terminal session, and the mark in the environment. */
type Row = readonly [pid: number, ppid: number, sid: number, mark?: string];

const START = "boot:1";
const SESSIONS = [
  { id: "s-outer", pid: 100, pidStart: START },
  { id: "s-inner", pid: 300, pidStart: START },
  { id: "s-remote", pid: null, pidStart: null },
];

const find = (pid: number, rows: readonly Row[], outside: readonly number[] = []): string | null =>
  enclosingSession(pid, SESSIONS, new Set(outside), factsOf(rows))?.id ?? null;

function factsOf(rows: readonly Row[]): ReadPlace {
  const byPid = new Map(rows.map((row) => [row[0], row]));
  const place = (at: number): ProcessPlace | null => {
    const row = byPid.get(at);
    return row ? { ppid: row[1], sid: row[2], start: START } : null;
  };
  const mark = (at: number): string | null => byPid.get(at)?.[3] ?? null;
  return { place, mark };
}

describe("the agents that a process belongs to", () => {
  it.each<[string, readonly Row[]]>([
    [
      "are the nearest and those around it",
      [
        [320, 300, 300],
        [300, 200, 300],
        [200, 100, 100],
        [100, 1, 100],
      ],
    ],
    [
      "include the one that started the nearest, although it is no parent of it any more",
      [
        [320, 300, 300, "s-inner"],
        [300, 250, 300, "s-inner"],
        [250, 1, 250, "s-outer"],
      ],
    ],
  ])("%s", (_, rows) => {
    expect(enclosingSessions(320, SESSIONS, new Set(), factsOf(rows)).map(({ id }) => id)).toEqual([
      "s-inner",
      "s-outer",
    ]);
  });
});

describe("the agent that a process belongs to", () => {
  it.each<[string, number, readonly Row[], string | null]>([
    ["is itself", 100, [[100, 1, 100]], "s-outer"],
    [
      "is the one among its parents, without any environment",
      120,
      [
        [120, 110, 100],
        [110, 100, 100],
        [100, 1, 100],
      ],
      "s-outer",
    ],
    [
      "is the nearest of several",
      320,
      [
        [320, 300, 300],
        [300, 200, 300],
        [200, 100, 100],
        [100, 1, 100],
      ],
      "s-inner",
    ],
    ["is the one whose terminal session an orphan kept", 120, [[120, 1, 100]], "s-outer"],
    ["is the one that the environment of an orphan names", 120, [[120, 1, 120, "s-outer"]], "s-outer"],
    [
      "is the one that the environment of a parent names",
      121,
      [
        [121, 120, 120],
        [120, 1, 120, "s-outer"],
      ],
      "s-outer",
    ],
    [
      "is not the one of a forged environment if a parent is another agent",
      120,
      [
        [120, 100, 100, "s-inner"],
        [100, 1, 100],
      ],
      "s-outer",
    ],
    [
      "does not exist outside of all agents",
      120,
      [
        [120, 50, 50],
        [50, 1, 50],
      ],
      null,
    ],
    ["does not exist if the session in its environment is not known here", 120, [[120, 1, 120, "s-other"]], null],
    ["does not exist if the process is gone", 120, [], null],
  ])("%s", (_, pid, rows, expected) => {
    expect(find(pid, rows)).toBe(expected);
  });

  it("is not an earlier process with the same pid", () => {
    const place = (at: number): ProcessPlace | null => (at === 100 ? { ppid: 1, sid: 50, start: "boot:2" } : null);
    expect(enclosingSession(100, SESSIONS, new Set(), { place, mark: () => null })).toBeNull();
  });

  it("is not the agent that started the daemon, for a process of the daemon", () => {
    const rows: readonly Row[] = [
      [220, 210, 210],
      [210, 100, 210, "s-outer"],
      [100, 1, 100],
    ];
    expect(find(220, rows)).toBe("s-outer");
    expect(find(220, rows, [210])).toBeNull();
  });

  it("is found within a bounded number of steps, also in a circle", () => {
    expect(
      find(7, [
        [7, 8, 7],
        [8, 7, 7],
      ]),
    ).toBeNull();
  });
});
