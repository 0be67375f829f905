import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readProgramStatus } from "./program-status.js";

const AT = Date.parse("2026-03-02T09:00:00Z");
const read = (data: string) => readProgramStatus(data, AT, { zone: "UTC" });
const encoded = (text: string) => Buffer.from(text).toString("base64");

describe("a program's own status", () => {
  it.each(["working", "idle", "done", "clear"])("can be %s", (status) => {
    expect(read(`state=${status}:app=codex`)).toEqual([{ kind: "status", at: AT, source: "program_status", status }]);
  });

  it("includes the question when it is blocked", () => {
    expect(read(`state=blocked:kind=permission:msg=${encoded("Run rm?")}`)).toMatchObject([
      { status: "blocked", prompt: "permission", text: "Run rm?" },
    ]);
    expect(read("state=blocked:kind=something-new")).toMatchObject([{ status: "blocked", prompt: "confirmation" }]);
  });

  it("includes the error or the limit that its message names", () => {
    expect(read(`state=error:msg=${encoded("invalid api key")}`)[1]).toMatchObject({ kind: "error", final: true });
    const [, limit] = read(`state=error:msg=${encoded("You've hit your usage limit. Try again in 2 hours.")}`);
    expect(limit).toMatchObject({ kind: "limit", level: "hit", until: AT + 7_200_000 });
  });

  it.each(["?", "", "state=", "state=unheard-of", "=working", "state"])("is not read from %j", (data) => {
    expect(read(data)).toEqual([]);
  });

  it("never throws for any output", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (data, message) => {
        read(data);
        read(`state=error:msg=${message}`);
        for (const signal of read(`state=blocked:msg=${encoded(message)}`)) expect(signal.kind).toBe("status");
      }),
    );
  });
});
