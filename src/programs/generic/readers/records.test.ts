import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../../core/signal.js";
import { GenericRecordReader } from "./records.js";

const readAll = (records: unknown[], reader = new GenericRecordReader()): Signal[] =>
  records.flatMap((record, i) => reader.read(record, 1000 + i));
const kinds = (signals: Signal[]) => signals.map((s) => (s.kind === "turn" ? `turn ${s.phase}` : s.kind));
const ofKind = <K extends Signal["kind"]>(signals: Signal[], kind: K) =>
  signals.filter((s): s is Extract<Signal, { kind: K }> => s.kind === kind);

const ASK = "Make the build green.";
const ARGS = { command: "make" };
const OUT = "no rule to make target";
const SAID = "The build is green now.";

/** One conversation in the shapes of three providers. */
const SHAPES: Record<string, unknown[]> = {
  "Anthropic's blocks": [
    { type: "user", message: { role: "user", content: ASK } },
    {
      type: "assistant",
      message: { id: "r1", role: "assistant", content: [{ type: "tool_use", id: "c1", name: "bash", input: ARGS }] },
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: OUT }] },
    },
    { type: "assistant", message: { id: "r2", role: "assistant", content: [{ type: "text", text: SAID }] } },
  ],
  "OpenAI's messages": [
    { role: "user", content: ASK },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: JSON.stringify(ARGS) } }],
    },
    { role: "tool", tool_call_id: "c1", status: "error", content: OUT },
    { role: "assistant", content: SAID },
  ],
  "Google's parts": [
    { uuid: "1", type: "user", message: { role: "user", parts: [{ text: ASK }] } },
    {
      uuid: "2",
      type: "assistant",
      message: {
        role: "model",
        parts: [{ text: "hm", thought: true }, { functionCall: { name: "bash", args: ARGS } }],
      },
    },
    {
      uuid: "3",
      type: "tool_result",
      message: { role: "user", parts: [{ functionResponse: { name: "bash", response: { error: OUT } } }] },
    },
    { uuid: "4", type: "assistant", message: { role: "model", parts: [{ text: SAID }] } },
  ],
  "a fork of Gemini CLI": [
    { id: "1", type: "user", content: [{ text: ASK }] },
    { id: "2", type: "fork", content: "", thoughts: [], model: "m" },
    {
      id: "2",
      type: "fork",
      content: "",
      thoughts: [],
      toolCalls: [
        {
          id: "c1",
          name: "bash",
          args: ARGS,
          status: "error",
          result: [{ functionResponse: { response: { error: OUT } } }],
        },
      ],
    },
    { id: "3", type: "user", content: [{ functionResponse: { id: "c1", response: { error: OUT } } }] },
    { id: "4", type: "fork", content: SAID, thoughts: [] },
  ],
};

describe("GenericRecordReader", () => {
  it.each(Object.entries(SHAPES))("reports the same conversation from %s", (_name, records) => {
    const signals = readAll(records);
    expect(kinds(signals).filter((kind) => kind !== "session")).toEqual([
      "turn start",
      "message",
      "tool_start",
      "tool_end",
      "message",
      "turn end",
    ]);
    expect(ofKind(signals, "tool_end")).toMatchObject([{ ok: false }]);
    expect(ofKind(signals, "turn").at(-1)).toMatchObject({ presumed: true });
    const reference = readAll(SHAPES["Anthropic's blocks"] ?? []);
    expect(ofKind(signals, "tool_start")[0]?.call).toBe(ofKind(reference, "tool_start")[0]?.call);
    expect(ofKind(signals, "tool_end")[0]?.outcome).toBe(ofKind(reference, "tool_end")[0]?.outcome);
  });

  it("does not report a conversation with ids again when its lines are repeated", () => {
    const records = SHAPES["a fork of Gemini CLI"] ?? [];
    const reader = new GenericRecordReader();
    readAll(records, reader);
    expect(readAll(records, reader)).toEqual([]);
  });

  it("accepts a closing result, success or failure", () => {
    const [ask] = SHAPES["Anthropic's blocks"] ?? [];
    expect(kinds(readAll([ask, { type: "result", subtype: "success" }])).at(-1)).toBe("turn end");
    const failed = readAll([ask, { type: "result", is_error: true, result: "invalid api key" }]);
    expect(ofKind(failed, "error")).toMatchObject([{ cause: "auth", final: true }]);
  });

  it("rejects a success whose text is the program's own error", () => {
    const text = "[API Error: 401 Incorrect API key provided]";
    expect(readAll([{ type: "result", subtype: "success", is_error: false, result: text }])).toContainEqual(
      expect.objectContaining({ kind: "error", cause: "auth", final: true }),
    );
  });

  it("presumes no end if a reply does not say why it stopped", () => {
    const reply = (stop_reason: string | null) => ({
      type: "assistant",
      message: { role: "assistant", content: [{ type: "text", text: "The code is in a.mjs." }], stop_reason },
    });
    const ends = (record: object) => readAll([record]).some((one) => one.kind === "turn" && one.phase === "end");
    expect([ends(reply("end_turn")), ends(reply(null))]).toEqual([true, false]);
  });

  it("does not treat an error in the middle as giving up", () => {
    const signals = readAll([{ type: "error", error: { message: "invalid api key" } }]);
    expect(ofKind(signals, "error")).toMatchObject([{ final: false }]);
  });

  it("counts a reply's tokens once", () => {
    const reply = {
      type: "assistant",
      message: { id: "r", role: "assistant", content: "ok", usage: { input_tokens: 9, output_tokens: 4 } },
    };
    expect(ofKind(readAll([reply, reply]), "tokens")).toMatchObject([{ input: 9, output: 4 }]);
  });

  it("pairs calls without ids in the order of their results", () => {
    const use = (name: string) => ({ role: "model", parts: [{ functionCall: { name, args: {} } }] });
    const back = (name: string) => ({
      role: "user",
      parts: [{ functionResponse: { name, response: { output: "x" } } }],
    });
    const signals = readAll([use("a"), use("a"), use("b"), back("b"), back("a"), back("a"), back("a")]);
    const starts = ofKind(signals, "tool_start").map(({ id }) => id);
    expect(ofKind(signals, "tool_end").map(({ id }) => id)).toEqual([starts[2], starts[0], starts[1]]);
  });

  it("reads any JSON without throwing, and counts unknown records", () => {
    const field = fc.constantFrom(
      "type",
      "role",
      "message",
      "content",
      "parts",
      "id",
      "functionCall",
      "functionResponse",
      "tool_calls",
      "usage",
      "error",
    );
    const word = fc.constantFrom("user", "assistant", "tool", "tool_use", "tool_result", "result", "error");
    const tree = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, fc.jsonValue(), word, tie("node"), fc.array(tie("value"))),
      node: fc.dictionary(field, tie("value")),
    })).value;
    fc.assert(fc.property(fc.array(tree, { maxLength: 8 }), (records) => Array.isArray(readAll(records))));
    const reader = new GenericRecordReader();
    readAll([{ type: "hologram" }, 5], reader);
    expect([...reader.skipped]).toEqual([
      ["record hologram", 1],
      ["record ", 1],
    ]);
  });
});
