import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerTo, Responder } from "./responder.js";

const asked = (...chunks: string[]): string[] => {
  const responder = new Responder();
  return chunks.flatMap((chunk) => responder.queries(Buffer.from(chunk, "latin1")));
};

describe("the responder", () => {
  it("recognizes four queries once each, split at any byte", () => {
    const text = "x\u001b[6n\u001b[c\u001b[>0cy\u001b]7501;?\u0007\u001b]7501;?\u001b\\z";
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const found = asked(text.slice(0, first), text.slice(first, second), text.slice(second));
        expect(found).toEqual(["cursor", "device", "device2", "status", "status"]);
      }),
    );
  });

  it.each([
    "\u001b[5n",
    "\u001b[?6n",
    "\u001b[?2026$p",
    "\u001b[>q",
    "\u001b[=c",
    "\u001b]10;?\u0007",
    "\u001b]7501;state=idle\u0007",
    "\u001bP$qm\u001b\\",
    "\u001b[18t",
    "\u001b[21t",
    "\u001b]52;c;?\u0007",
    "\u0005",
    "\u001bZ",
  ])("does not answer %j", (query) => {
    expect(asked(query)).toEqual([]);
  });

  it("answers a bounded number per read", () => {
    expect(asked("\u001b[c".repeat(10_000))).toHaveLength(8);
  });

  it("answers with the position of the cursor, or with the corner if it is unknown", () => {
    expect([answerTo("cursor", { row: 3, column: 7 }), answerTo("cursor", null)]).toEqual([
      "\u001b[3;7R",
      "\u001b[1;1R",
    ]);
  });
});
