import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ControlEvent, ControlParser } from "./control-parser.js";

const bytes = (text: string): Buffer => Buffer.from(text);
const parse = (text: string): ControlEvent[] => new ControlParser().push(bytes(text));

const SESSION = [
  "%begin 1700000000 10 0\n%end 1700000000 10 0\n",
  "%session-changed $0 crew\n%layout-change @1 b25f,80x24,0,0,2 b25f,80x24,0,0,2 *\n",
  "%begin 1700000001 11 1\n│ größe\n\n%end 1700000001 99 1\n%exit\n%end 1700000001 11 1\n",
  "%begin 1700000001 12 1\ncan't find pane: %9\n%error 1700000001 12 1\n%exit server exited\n",
].join("");
const EVENTS: ControlEvent[] = [
  { kind: "reply", own: false, ok: true, text: "" },
  { kind: "notice", name: "session-changed", words: "$0 crew" },
  { kind: "notice", name: "layout-change", words: "@1 b25f,80x24,0,0,2 b25f,80x24,0,0,2 *" },
  { kind: "reply", own: true, ok: true, text: "│ größe\n\n%end 1700000001 99 1\n%exit" },
  { kind: "reply", own: true, ok: false, text: "can't find pane: %9" },
  { kind: "notice", name: "exit", words: "server exited" },
];

describe("ControlParser", () => {
  it("reads replies and notices, and accepts a pane's row as the end of a reply only with the reply's own numbers", () => {
    expect(parse(SESSION)).toEqual(EVENTS);
  });

  it("gives the same events for any chunking", () => {
    const all = bytes(SESSION);
    fc.assert(
      fc.property(fc.array(fc.nat(all.length), { maxLength: 40 }), (cuts) => {
        const parser = new ControlParser();
        const at = [0, ...cuts.sort((a, b) => a - b), all.length];
        const events = at.slice(1).flatMap((end, i) => parser.push(all.subarray(at[i], end)));
        expect(events).toEqual(EVENTS);
      }),
    );
  });

  it.each([
    ["a line without an end", "x".repeat(1024 * 1024 + 1)],
    ["a reply without an end", `%begin 1 1 1\n${`${"y".repeat(1000)}\n`.repeat(17_000)}`],
    ["a line that is neither notice nor reply", "hello\n"],
  ])("stops at %s and reads nothing after it", (reason, text) => {
    const parser = new ControlParser();
    expect(parser.push(bytes(text))).toEqual([{ kind: "broken", reason }]);
    expect(parser.push(bytes("%sessions-changed\n"))).toEqual([]);
  });

  it("never throws on random bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (parts) => {
        const parser = new ControlParser();
        for (const part of parts) parser.push(part);
      }),
    );
  });
});
