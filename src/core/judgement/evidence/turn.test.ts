import { describe, expect, it } from "vitest";
import { screen } from "../../../../test/support/steps.js";
import type { ScreenReading, Signal } from "../../signal.js";
import { createTurn, promptedBy, takeTurn, turnStatus } from "./turn.js";

function turnAfter(...signals: object[]) {
  const turn = createTurn();
  signals.forEach((signal, i) => {
    takeTurn(turn, { at: i * 10_000, ...signal } as Signal);
  });
  return turn;
}
const status = (source: string, word: string) => ({ kind: "status", source, status: word });
const asked = { kind: "input", source: "human", by: "human", bytes: 2, submits: true };

describe("the detection of a turn", () => {
  it("prefers the program's own status over title and screen", () => {
    const turn = turnAfter(screen({ busy: false }), status("title", "idle"), status("program_status", "working"));
    expect(turnStatus(turn)).toMatchObject({ status: "active", source: "program_status" });
  });

  it("continues the same turn if the screen's mark disappears briefly, and starts another after longer", () => {
    const turn = turnAfter(screen({ busy: false }), screen({ busy: true }));
    const show = (at: number, busy: boolean) => takeTurn(turn, { at, ...screen({ busy }) } as Signal);
    show(60_000, false);
    show(61_500, true);
    expect(turn).toMatchObject({ startedAt: 10_000, endedAt: null, turns: 1 });
    show(70_000, false);
    show(74_000, true);
    expect(turn).toMatchObject({ startedAt: 74_000, turns: 2 });
    show(80_000, false);
    takeTurn(turn, { at: 80_500, ...asked } as Signal);
    show(81_000, true);
    expect(turn).toMatchObject({ startedAt: 81_000, turns: 3 });
  });

  it("falls back to the next source when one clears its status", () => {
    const turn = turnAfter(
      status("title", "working"),
      status("program_status", "idle"),
      status("program_status", "clear"),
    );
    expect(turnStatus(turn)).toMatchObject({ status: "active", source: "title" });
  });

  it("prefers a transcript with turn marks over the screen, and the screen over one with presumed ends", () => {
    const marked = { kind: "turn", source: "transcript", phase: "end" };
    expect(turnStatus(turnAfter(screen({ busy: true }), marked))).toMatchObject({
      status: "idle",
      source: "transcript",
    });
    const presumed = { ...marked, presumed: true };
    expect(turnStatus(turnAfter(screen({ busy: true }), presumed))).toMatchObject({
      status: "active",
      source: "screen",
    });
  });

  it("prefers a screen at its prompt that states why it stopped over a transcript without an end", () => {
    const start = { kind: "turn", source: "transcript", phase: "start" };
    const limit = { text: "You've hit your usage limit." };
    const stopped = { busy: false, moving: false, composer: "empty" as const };
    const word = (...later: object[]) => turnStatus(turnAfter(start, ...later));
    expect(word(screen({ ...stopped, limit }))).toMatchObject({ status: "idle", source: "screen" });
    for (const reading of [stopped, { ...stopped, limit, busy: true }, { ...stopped, limit, moving: true }])
      expect(word(screen(reading))).toMatchObject({ status: "active", source: "transcript" });
    expect(word(screen({ ...stopped, limit }), start)).toMatchObject({ status: "active", source: "transcript" });
  });

  it("ignores output bytes", () => {
    expect(turnStatus(turnAfter({ kind: "output", source: "screen", bytes: 9 }))).toBeNull();
  });

  it("counts motion as a turn only after a request", () => {
    expect(turnStatus(turnAfter(screen({ busy: null, moving: true })))).toBeNull();
    const turn = turnAfter(screen({ busy: null, moving: false }), asked, screen({ busy: null, moving: true }));
    expect(turnStatus(turn)?.status).toBe("active");
    expect(turn.byMotion).toBe(true);
  });

  it("does not end a turn at a pause while the prompt is missing and the cursor is behind text", () => {
    const ready = screen({ busy: null, moving: false, composer: "empty" });
    const rests = (caret?: "text" | "sign") =>
      screen({ busy: null, moving: false, composer: "hidden", replying: true, ...(caret && { caret }) });
    const prints = screen({ busy: null, moving: false, composer: "hidden", caret: "text" });
    const moves = screen({ busy: null, moving: true, composer: "hidden" });
    expect(turnStatus(turnAfter(ready, asked, moves, rests("text")))?.status).toBe("active");
    expect(turnStatus(turnAfter(ready, asked, moves, rests("sign")))?.status).toBe("idle");
    expect(turnStatus(turnAfter(ready, asked, moves, rests()))?.status).toBe("idle");
    expect(turnStatus(turnAfter(ready, asked, moves, prints))?.status).toBe("idle");
    expect(turnStatus(turnAfter(rests(), asked, moves, rests("text")))?.status).toBe("idle");
  });

  it("does not count motion as a turn after Enter during start-up", () => {
    const loading = screen({ busy: null, moving: true, composer: "hidden" });
    expect(turnStatus(turnAfter(asked, loading))).toBeNull();
    expect(turnStatus(turnAfter(loading, asked, loading, loading))).toBeNull();
    expect(
      turnStatus(turnAfter(loading, screen({ busy: null, moving: true, composer: "empty" }), asked, loading)),
    ).toEqual(expect.objectContaining({ status: "active" }));
  });

  it("does not count the answer to a trust dialog as a request", () => {
    const loading = screen({ busy: null, moving: true, composer: "hidden" });
    const trust = screen({
      busy: null,
      moving: false,
      dialog: { prompt: "trust", question: "Do you trust this folder?" },
    });
    expect(turnStatus(turnAfter(loading, trust, asked, loading))).toBeNull();
  });

  it("counts a turn once for any number of sources", () => {
    const turn = turnAfter(
      asked,
      status("title", "working"),
      { kind: "turn", source: "hook", phase: "start" },
      screen({ busy: true }),
      status("title", "idle"),
    );
    expect(turn).toMatchObject({ turns: 1, startedAt: 10_000, endedAt: 40_000 });
  });

  it("continues the same turn after an answered dialog", () => {
    const turn = turnAfter(asked, status("title", "working"), status("title", "blocked"), status("title", "working"));
    expect(turn).toMatchObject({ turns: 1, startedAt: 10_000 });
  });

  it("does not count a flicker at program start as a turn", () => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...status("title", "working") } as Signal);
    takeTurn(turn, { at: 900, ...status("title", "idle") } as Signal);
    expect(turn.turns).toBe(0);
  });

  it("does not count a flicker as a turn right after the composer opened", () => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...screen({ busy: false, composer: "empty" }) } as Signal);
    takeTurn(turn, { at: 800, ...status("program_status", "working") } as Signal);
    takeTurn(turn, { at: 1200, ...status("program_status", "idle") } as Signal);
    expect(turn.turns).toBe(0);
  });

  it("does not count a flicker as a turn because of input during loading", () => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...screen({ busy: false, composer: "empty" }) } as Signal);
    takeTurn(turn, { at: 700, ...asked } as Signal);
    takeTurn(turn, { at: 900, ...status("program_status", "working") } as Signal);
    takeTurn(turn, { at: 1600, ...status("program_status", "idle") } as Signal);
    expect(turn.turns).toBe(0);
    takeTurn(turn, { at: 8000, ...status("program_status", "working") } as Signal);
    expect(turn.turns).toBe(1);
  });

  describe("after a flicker at the start", () => {
    const flag = (at: number, source: string, word: string): Signal => ({ at, ...status(source, word) }) as Signal;
    const shows = (at: number, reading: Partial<ScreenReading>): Signal =>
      ({ at, ...screen({ composer: "empty", ...reading }) }) as Signal;
    const turnsAfter = (startsQuiet: boolean, ...signals: Signal[]): number => {
      const turn = createTurn({ startsQuiet });
      for (const signal of signals) takeTurn(turn, signal);
      return turn.turns;
    };
    const flicker = [flag(1000, "title", "working"), flag(2400, "title", "idle")];
    const left = {
      "an end mark": { ended: true },
      "a question": { closing: "question" },
      "a reply": { replying: true, closing: "result" },
    } as const;

    it.each(Object.entries(left))("counts a turn that left %s", (_, reading) => {
      expect(turnsAfter(true, shows(0, {}), ...flicker, shows(3000, { reply: "r1", ...reading }))).toBe(1);
      expect(turnsAfter(true, ...flicker, shows(3000, { reply: "r1", ...reading }))).toBe(1);
    });

    it.each(Object.entries(left))("counts no turn if %s was on the screen before", (_, reading) => {
      const old = { reply: "r1", ...reading };
      expect(turnsAfter(true, shows(0, old), ...flicker, shows(3000, { ...old, moving: true }))).toBe(0);
    });

    it.each(Object.entries(left))(
      "counts no turn if the program's flags rise during loading, whatever it draws: %s",
      (_, reading) => {
        const resumed = { reply: "r1", ...reading };
        for (const at of [1500, 3000, 9000])
          expect(turnsAfter(false, shows(0, {}), ...flicker, shows(at, resumed))).toBe(0);
      },
    );

    it("counts no turn for text that is only read by structure", () => {
      expect(turnsAfter(true, ...flicker, shows(3000, { reply: "r1", replying: true, structural: true }))).toBe(0);
    });

    it("counts a turn once for any number of readings of its text", () => {
      const words = { reply: "r1", ended: true };
      expect(turnsAfter(true, ...flicker, shows(3000, words), shows(5000, { ...words, moving: true }))).toBe(1);
    });

    it.each([
      { word: "idle", turns: 0 },
      { word: "done", turns: 1 },
      { word: "error", turns: 1 },
    ])("uses the program's own status at the end: $word", ({ word, turns }) => {
      const status = [flag(1000, "program_status", "working"), flag(1700, "program_status", word)];
      expect(turnsAfter(false, shows(0, {}), ...status)).toBe(turns);
    });
  });

  it("never counts a spinner before the first input field as a turn", () => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...screen({ busy: true, composer: "hidden" }) } as Signal);
    takeTurn(turn, { at: 30_000, ...screen({ busy: false, composer: "empty" }) } as Signal);
    expect(turn.turns).toBe(0);
  });

  it.each([
    { composer: "empty" },
    { composer: "hidden", tokens: 20 },
    { composer: "hidden", tool: { class: "shell" } },
  ] as const)("counts a turn without a visible request if the screen shows more: %j", (shown) => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...screen({ busy: true, ...shown }) } as Signal);
    takeTurn(turn, { at: 30_000, ...screen({ busy: false, composer: "empty" }) } as Signal);
    expect(turn.turns).toBe(1);
  });

  it("counts a one-second turn after an open composer, even without a visible request", () => {
    const turn = createTurn();
    takeTurn(turn, { at: 0, ...screen({ busy: false, composer: "empty" }) } as Signal);
    takeTurn(turn, { at: 5000, ...status("title", "working") } as Signal);
    takeTurn(turn, { at: 5900, ...status("title", "idle") } as Signal);
    expect(turn.turns).toBe(1);
  });

  it("ignores a title that has only ever shown idle, because it may stay through every turn", () => {
    const start = { kind: "turn", source: "transcript", phase: "start" };
    const mute = turnAfter(status("title", "idle"), start);
    expect(turnStatus(mute)).toMatchObject({ status: "active", source: "transcript" });
    expect(turnStatus(turnAfter(status("title", "idle")))).toMatchObject({ status: "idle", source: "title" });
    const notifier = turnAfter(status("title", "working"), status("title", "idle"), start);
    expect(turnStatus(notifier)).toMatchObject({ status: "idle", source: "title" });
  });

  it("counts a recorded turn that a better source missed", () => {
    const start = { kind: "turn", source: "transcript", phase: "start", byUser: true };
    const turn = turnAfter(status("session_file", "idle"), start, { ...start, phase: "end" });
    expect(turn).toMatchObject({ turns: 1, startedAt: 10_000 });
    expect(turnStatus(turn)?.status).toBe("idle");
  });

  it("drops every status when the process exits", () => {
    const turn = turnAfter(status("title", "working"), { kind: "exit", source: "process", code: 0, signal: null });
    expect(turnStatus(turn)).toBeNull();
  });
});

describe("the giver of a turn's prompt", () => {
  const typed = (by: "human" | "client" | "rouse") => ({ ...asked, by });
  const start = { kind: "turn", source: "transcript", phase: "start" };

  it("is who submitted last before the turn began, however late the turn began", () => {
    expect(promptedBy(turnAfter(start))).toBeNull();
    expect(promptedBy(turnAfter(typed("client"), start))).toBe("client");
    expect(promptedBy(turnAfter(typed("human"), start))).toBe("human");
    expect(promptedBy(turnAfter(typed("human"), typed("client"), start))).toBe("client");
    expect(promptedBy(turnAfter(typed("client"), start, typed("human")))).toBe("client");
  });

  it("is found if the record of the turn arrives before the keys", () => {
    expect(promptedBy(turnAfter({ ...start, at: 500 }, { ...typed("client"), at: 499 }))).toBe("client");
  });

  it("is not rouse, whose nudge continues the work, and not a user who answers a dialog", () => {
    expect(promptedBy(turnAfter(typed("client"), typed("rouse"), start))).toBe("client");
    const dialog = screen({ dialog: { prompt: "trust", question: "Do you trust this folder?" } });
    expect(promptedBy(turnAfter(dialog, typed("human"), start))).toBeNull();
  });
});
