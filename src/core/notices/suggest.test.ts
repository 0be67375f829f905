import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import type { ActionName } from "../action.js";
import { PROBLEMS, type Problem } from "../incidents/problem.js";
import { typeOf } from "./contents.js";
import type { Suggestion } from "./message.js";
import { type SuggestionContext, suggestionsFor } from "./suggest.js";

const ALL: readonly ActionName[] = ["nudge", "interrupt", "stop", "resume", "restart"];
const SPAWNED = sessionOf({ id: "s1", name: "api", origin: "spawn", hostSocket: "/x" });

const about = (problem: Problem, rest: Partial<SuggestionContext> = {}): Suggestion[] =>
  suggestionsFor(typeOf(problem), { session: SPAWNED, problem, can: ALL, hasDialog: false, isFree: true, ...rest });

/** The tool, or the command if there is no tool. */
const names = (suggestions: readonly Suggestion[]): string =>
  suggestions.map(({ tool, command }) => tool ?? command.slice(0, 2).join(" ")).join(", ");

describe("the suggestion", () => {
  it('is "continue" for a broken stream or an unfinished turn, and for nothing else', () => {
    const nudged = PROBLEMS.filter((problem) => about(problem).some((one) => one.arguments.text === "continue"));
    expect([...nudged].sort()).toEqual(
      ["api", "compaction", "frozen_screen", "lost_result", "silent_stream", "stopped_early", "unreachable"].sort(),
    );
  });

  it.each<[string, Suggestion[], string]>([
    ["a loop: another instruction", about("loop"), "read_pane, why, send_input, close_pane"],
    ["a limit: to wait", about("rate_limited"), "read_pane, why"],
    ["a login: the user's work", about("auth"), "read_pane, why"],
    ["a poisoned context: stop it", about("poisoned_context"), "read_pane, why, close_pane"],
    ["a running turn: no key", about("silent_stream", { isFree: false }), "read_pane, why, recover_agent, close_pane"],
    ["a program with unknown keys: no keys", about("stopped_early", { can: ["stop"] }), "read_pane, why, close_pane"],
    ["its question: the user's answer", about("needs_input", { can: ["stop"] }), "read_pane, rouse type"],
    [
      "a crash: read its output and recover it",
      about("crash", { session: { ...SPAWNED, endedAt: 1 } }),
      "read_pane, why, recover_agent",
    ],
    [
      "a crash in another terminal: only the reason",
      about("crash", { session: { ...SPAWNED, origin: "run", endedAt: 1 }, can: ["run"] }),
      "why",
    ],
    [
      "a user's own terminal: no stop",
      about("stopped_early", { session: { ...SPAWNED, origin: "run" }, can: ["nudge", "interrupt"] }),
      "read_pane, why, send_input, recover_agent",
    ],
    [
      "an agent that rouse did not start: a command in place of the tool",
      about("silent_stream", { session: { ...SPAWNED, origin: "tmux", hostSocket: null }, can: ["interrupt"] }),
      "why, rouse recover",
    ],
  ])("is for %s", (_, suggestions, expected) => {
    expect(names(suggestions)).toBe(expected);
  });

  it("reads an adopted pane with a tmux command", () => {
    const session = { ...SPAWNED, origin: "tmux" as const, hostSocket: null, pane: { socket: "/t", id: "%3" } };
    expect(about("loop", { session })[0]).toEqual({
      what: "read its screen",
      tool: "read_pane",
      arguments: { pane_id: "s1" },
      command: ["tmux", "-S", "/t", "capture-pane", "-p", "-t", "%3"],
    });
  });

  it("for a dialog contains neither a tool nor a command that would answer it", () => {
    const suggested = about("needs_input", { hasDialog: true, isFree: false });
    expect(suggested.map(({ tool }) => tool)).toEqual([null, "read_pane"]);
    expect(suggested[0]?.command).toEqual(["rouse", "go", "api"]);
  });
});

it("an agent is closed by a tool only if rouse started it, and it still runs under its host", () => {
  const closes = (rest: Partial<typeof SPAWNED>): boolean =>
    about("loop", { session: { ...SPAWNED, ...rest } }).some(({ tool }) => tool === "close_pane");
  expect(closes({})).toBe(true);
  expect(closes({ hostSocket: null })).toBe(false);
  expect(closes({ endedAt: 1 })).toBe(false);
  expect(closes({ origin: "run" })).toBe(false);
});

it("after a finished turn, reading and closing are suggested, whatever the problem was before", () => {
  const standing = { session: SPAWNED, problem: null, can: ALL, hasDialog: false, isFree: true };
  expect(names(suggestionsFor("worker.complete", standing))).toBe("read_pane, close_pane");
  expect(suggestionsFor("worker.recovered", { ...standing, problem: "loop" })).toEqual([]);
});

it("only the screen of an adopted pane is read by a tmux command; every other command is rouse's own", () => {
  const session = { ...SPAWNED, origin: "tmux" as const, hostSocket: null, pane: { socket: "/t", id: "%3" } };
  const [, ...others] = about("loop", { session });
  expect(others.map(({ command }) => command[0])).toEqual(["rouse"]);
});

it("an agent whose work has not been saved, or whose claim is stale, is asked for its status", () => {
  const asks = (problem: Problem): boolean => about(problem).some(({ what }) => what === "ask for a status report");
  expect(PROBLEMS.filter(asks).sort()).toEqual(["no_checkpoint", "stale_claim"]);
});
