import { describe, expect, it } from "vitest";
import { agentView, VIEWS_NOW as NOW } from "../../../test/support/agent-views.js";
import { answerObjection } from "./actions.js";
import { frameBytes } from "./frame-bytes.js";
import { KEYS, readKeys } from "./keys.js";
import { emptyModel, keyOf, listRows, selectedAgent, selectedRow, type TopModel } from "./model.js";
import { press, type Wish } from "./press.js";

const FLEET: TopModel = {
  ...emptyModel(false),
  agents: [
    agentView({ name: "asks", state: "needs_input", cause: "input" }),
    agentView({ name: "asks-too", state: "needs_input", cause: "permission" }),
    agentView({ name: "hangs", state: "stuck", cause: "loop" }),
    agentView({ name: "works", cost_usd_24h: 2 }),
  ],
};
const SIZE = { width: 80, height: 24 };

function pressed(text: string, from: TopModel = FLEET): { model: TopModel; wishes: Wish[] } {
  const wishes: Wish[] = [];
  let model = from;
  for (const typed of readKeys(text)) {
    const next = press(model, typed, SIZE, NOW);
    model = next.model;
    if (next.wish) wishes.push(next.wish);
  }
  return { model, wishes };
}
const selected = (model: TopModel): string => {
  const rows = listRows(model);
  const row = rows[selectedRow(model, rows)];
  return row ? keyOf(row) : "";
};

describe("the keys of rouse top", () => {
  it("are each in the table once, and every one of them does something", () => {
    const all = KEYS.flatMap(({ keys }) => keys);
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    ["j", "asks-too"],
    ["\u001b[B\u001b[B", "hangs"],
    ["jjjjjjk", "hangs"],
    ["\u001b[F\u001b[H", "asks"],
    ["\u001b[6~\u001b[5~", "asks"],
  ])("%j select %s", (keys, name) => {
    expect(selected(pressed(keys).model)).toBe(name);
  });

  it("n goes from one agent that needs the user to the next, and around", () => {
    let model = FLEET;
    const seen = Array.from({ length: 3 }, () => {
      model = pressed("n", model).model;
      return selected(model);
    });
    expect(seen).toEqual(["asks-too", "asks", "asks-too"]);
    expect(pressed("n", { ...FLEET, agents: [] }).model.notice?.text).toBe("No agent needs you.");
  });

  it.each([
    ["\r", { do: "why", agent: "asks" }],
    ["g", { do: "go", agent: "asks" }],
    ["a", { do: "attach", agent: "asks" }],
    ["l", { do: "logs", agent: "asks" }],
    ["x", { do: "ack", agent: "asks" }],
    ["jjr", { do: "ask_recover", agent: "hangs" }],
    ["t", { do: "ask_answer", agent: "asks" }],
    ["s\u007f\u007f90m\r", { do: "silence", agent: "asks", text: "90m" }],
    ["q", { do: "quit", code: 0 }],
    ["\u0003", { do: "quit", code: 130 }],
  ] satisfies [string, Wish][])("%j asks for one action", (keys, wish) => {
    expect(pressed(keys).wishes).toEqual([wish]);
  });

  it("open the healthy agents from their number, and go back", () => {
    const { model } = pressed("\u001b[F\r");
    expect(listRows(model).map(keyOf)).toEqual(["works"]);
    expect(pressed("\u001b", model).model.group).toBe(0);
    expect(pressed("2").model).toMatchObject({ group: 2 });
  });

  it("filter while typing, and Esc clears the filter", () => {
    const { model } = pressed("/LOOP");
    expect(listRows(model).map(keyOf)).toEqual(["hangs"]);
    expect(pressed("\r", model).model).toMatchObject({ input: null, filter: "LOOP" });
    expect(pressed("\u001b", model).model).toMatchObject({ input: null, filter: "" });
  });

  it("o changes the order", () => {
    expect(pressed("o").model.order).toBe("name");
    expect(pressed("oooooo").model.order).toBe("move");
    expect(selectedAgent(pressed("ooooo5").model)?.name).toBe("works");
  });

  it("stay with the agent of the page that is open", () => {
    const page = { kind: "why", about: "hangs", title: "", lines: ["a"], offset: 0 } as const;
    expect(pressed("x", { ...FLEET, page }).wishes).toEqual([{ do: "ack", agent: "hangs" }]);
    expect(pressed("\u001b", { ...FLEET, page }).model.page).toBeNull();
  });
});

describe("rouse top recovers and types only when the user means it:", () => {
  const asked: TopModel = { ...FLEET, input: { kind: "recover", label: "?", text: "", about: "hangs" } };

  it("a recovery starts with y alone: not with Enter, another key or pasted text", () => {
    expect(pressed("\r x\u001b[200~y\u001b[201~", asked).wishes).toEqual([]);
    expect(pressed("ny", asked).wishes).toEqual([]);
    expect(pressed("y", asked).wishes).toEqual([{ do: "recover", agent: "hangs" }]);
  });

  it("pasted text is no key in the list, and one line in an answer", () => {
    expect(pressed("\u001b[200~qxr\ny\u001b[201~")).toEqual({ model: FLEET, wishes: [] });
    const answer: TopModel = { ...FLEET, input: { kind: "answer", label: "", text: "", about: "asks" } };
    expect(pressed("\u001b[200~one\ntwo\u001b[201~\r", answer).wishes).toEqual([
      { do: "answer", agent: "asks", text: "one two" },
    ]);
    expect(pressed("\r", answer).wishes).toEqual([]);
  });

  it.each(["permission", "plan", "trust", "login"] as const)("a %s dialog is never answered from the list", (cause) => {
    expect(answerObjection({ name: "a", state: "needs_input", cause })).toMatch(/in its terminal/);
    expect(answerObjection({ name: "a", state: "needs_input", cause: "input" })).toBeNull();
  });
});

describe("the bytes of a frame", () => {
  it("are those of the changed lines, in one synchronized update", () => {
    expect(frameBytes(["a", "b"], ["a", "c"])).toBe("\u001b[?2026h\u001b[2;1H\u001b[2Kc\u001b[?2026l");
    expect(frameBytes(["a", "b"], ["a", "b"])).toBe("");
  });

  it("draw everything if the screen is unknown or has another height", () => {
    const all = "\u001b[?2026h\u001b[2J\u001b[1;1H\u001b[2Ka\u001b[?2026l";
    expect(frameBytes(null, ["a"])).toBe(all);
    expect(frameBytes(["a", "b"], ["a"])).toBe(all);
  });
});
