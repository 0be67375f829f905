import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrayAt, booleanAt, numberAt, parseRecord, recordAt, stringAt } from "./json.js";

describe("parseRecord", () => {
  it("reads a record and nothing else", () => {
    expect(parseRecord('{"a":1}')).toEqual({ a: 1 });
    expect(parseRecord('  {"a":1}\r')).toEqual({ a: 1 });
    for (const line of ["", "[]", "null", "1", '"{}"', "{", '{"a":', "plain", "\0\0", "{}{}"]) {
      expect(parseRecord(line), line).toBeNull();
    }
  });

  it("does not throw for any line", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        parseRecord(line);
      }),
    );
  });

  it("accepts a record of any depth", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(arrayAt(parseRecord(deep), "a")).toHaveLength(1);
  });
});

describe("the getters", () => {
  const record = { a: { s: "x", n: 2, l: [1], t: true }, bad: Number.NaN };

  it("find existing values", () => {
    expect([
      stringAt(record, "a", "s"),
      numberAt(record, "a", "n"),
      arrayAt(record, "a", "l"),
      booleanAt(record, "a", "t"),
    ]).toEqual(["x", 2, [1], true]);
    expect(recordAt(record, "a")).toBe(record.a);
  });

  it("find nothing if the type differs", () => {
    expect([
      stringAt(record, "a", "n"),
      numberAt(record, "bad"),
      recordAt(record, "a", "l"),
      stringAt(record, "a", "s", "length"),
    ]).toEqual([undefined, undefined, undefined, undefined]);
    expect(arrayAt(record, "a")).toEqual([]);
    expect(booleanAt({ t: 1 }, "t")).toBe(false);
  });

  it("ignore inherited properties", () => {
    expect(recordAt({}, "__proto__")).toBeUndefined();
    expect(stringAt({}, "constructor", "name")).toBeUndefined();
  });
});
