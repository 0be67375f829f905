import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { ClaudeSessionFileReader } from "./session-file.js";

const AT = 1_000_000;

describe("ClaudeSessionFileReader", () => {
  it("reports each change of status once", () => {
    const reader = new ClaudeSessionFileReader();
    const states = [
      { sessionId: "s-1", version: "2.1.300", status: "idle" },
      { status: "busy" },
      { status: "busy" },
      { status: "waiting", waitingFor: "permission prompt" },
      { status: "waiting", waitingFor: "input needed" },
      { status: "shell" },
      { status: "dancing" },
    ];
    const signals = states.flatMap((state, i) => reader.read(state, AT + i));
    expect(signals).toMatchObject([
      { kind: "session", id: "s-1", version: "2.1.300" },
      { kind: "status", status: "idle" },
      { status: "working" },
      { status: "blocked", prompt: "permission" },
      { status: "blocked", prompt: "input" },
      { status: "idle" },
    ]);
    expect([...reader.skipped]).toEqual([["status dancing", 1]]);
  });

  const OWN = { sessionId: "s-1", kind: "bg", jobId: "4a5f578d" };
  const FLIGHT = { tasks: 0, queued: 0, kinds: [], drainableMonitors: 0 };
  const job = (fields: object) => ({ id: "4a5f578d", state: "working", tempo: "idle", inFlight: FLIGHT, ...fields });
  /** The signals of these states after the facts about the session. */
  const readAll = (states: object[], reader = new ClaudeSessionFileReader()): Signal[] =>
    states.flatMap((state, i) => reader.read({ ...OWN, ...state }, AT + i)).filter(({ kind }) => kind !== "session");

  it("takes the question of a background session from the supervisor's file, and until it has one no other words", () => {
    const waiting = { status: "waiting", waitingFor: "permission prompt" };
    const signals = readAll([
      { status: "busy", job: job({ tempo: "active" }) },
      { ...waiting, job: job({ tempo: "active" }) },
      { ...waiting, job: job({ tempo: "blocked", needs: "approve Bash: make" }) },
      { status: "busy", job: job({ tempo: "blocked", needs: "approve Bash: make" }) },
      { ...waiting, job: { id: "4a5f578d" } },
    ]);
    const blocked = { kind: "status", source: "session_file", status: "blocked", prompt: "permission" };
    expect(signals).toEqual([
      { kind: "supervisor", source: "session_file", at: AT, id: "4a5f578d", holds: true },
      { kind: "status", source: "session_file", at: AT, status: "working" },
      { ...blocked, at: AT + 1 },
      { ...blocked, at: AT + 2, text: "approve Bash: make" },
      { kind: "status", source: "session_file", at: AT + 3, status: "working" },
      // A file that cannot be read changes nothing.
      { ...blocked, at: AT + 4, text: "approve Bash: make" },
    ]);
  });

  it("shows the words of its own file if the supervisor's has none", () => {
    const state = { status: "waiting", waitingFor: "input needed", job: job({ tempo: "active" }) };
    expect(readAll([state, state]).at(-1)).toMatchObject({ status: "blocked", text: "input needed" });
  });

  it("reports a question at the end of a turn, and what continues behind it", () => {
    const asks = { state: "blocked", tempo: "blocked", needs: "Which one?" };
    const one = { tasks: 1, queued: 0, kinds: ["local_bash"] };
    const old = { statusUpdatedAt: Date.parse("2026-11-17T01:00:10Z"), status: "idle" };
    const signals = readAll([
      { status: "idle", job: job({ ...asks, updatedAt: "2026-11-17T01:00:00Z" }) },
      { status: "shell", job: job({ inFlight: one, updatedAt: "2026-11-17T01:00:00Z" }) },
      // The count is from before the end of the turn.
      { ...old, job: job({ updatedAt: "2026-11-17T01:00:00Z" }) },
      { ...old, job: job({ updatedAt: "2026-11-17T01:00:09Z" }) },
      { status: "shell", job: job({ updatedAt: "2026-11-17T01:00:11Z" }) },
      // Nobody was given any work yet.
      { status: "idle", job: job({ tempo: "blocked", needs: "send a prompt to start", inFlight: undefined }) },
    ]).filter(({ kind }) => kind === "status");
    expect(signals.map(({ at: _at, kind: _kind, source: _source, ...rest }) => rest)).toEqual([
      { status: "idle", asks: "Which one?", background: 0 },
      { status: "idle", background: 1 },
      { status: "idle" },
      { status: "idle", background: 0 },
      { status: "idle" },
    ]);
  });

  it.each([
    ["working", true],
    ["blocked", true],
    ["crashed", true],
    ["resuming", true],
    ["running", true],
    ["done", false],
    ["failed", false],
    ["stopped", false],
  ])("knows whether the supervisor keeps a session that is %s", (state, holds) => {
    expect(readAll([{ job: job({ state }) }])).toContainEqual(expect.objectContaining({ kind: "supervisor", holds }));
    const woken = readAll([{ job: job({ state, tempo: "active" }) }]);
    expect(woken).toContainEqual(expect.objectContaining({ kind: "supervisor", holds: true }));
  });

  it("takes `claude stop` for the user's end of the session, also after the file of the process is gone", () => {
    const reader = new ClaudeSessionFileReader();
    readAll([{ status: "busy", job: job({ tempo: "active" }) }], reader);
    expect(reader.read({ job: job({ state: "stopped" }) }, AT + 9)).toEqual([
      { kind: "input", source: "session_file", at: AT + 9, by: "human", bytes: 0, quits: true },
      { kind: "supervisor", source: "session_file", at: AT + 9, id: "4a5f578d", holds: false },
    ]);
    expect(reader.read({ job: job({ state: "stopped" }) }, AT + 10)).toEqual([]);
  });

  it("counts unknown states of a session, which the supervisor then keeps", () => {
    const reader = new ClaudeSessionFileReader();
    const signals = readAll(
      [{ status: "idle", job: job({ state: "dreaming", tempo: 7, needs: [], inFlight: -1 }) }],
      reader,
    );
    expect(signals).toMatchObject([
      { kind: "supervisor", holds: true },
      { kind: "status", status: "idle" },
    ]);
    expect([...reader.skipped]).toEqual([["job dreaming", 1]]);
  });

  it("bounds the question and leaves no control characters in it", () => {
    const needs = `\u001b[2Japprove ${"x".repeat(5000)}`;
    const state = { status: "waiting", waitingFor: "permission prompt", job: job({ tempo: "blocked", needs }) };
    const text = String((readAll([state]).at(-1) as { text?: string }).text);
    expect(text).toHaveLength(600);
    expect(text).toMatch(/^\[2Japprove x+$/);
  });
});
