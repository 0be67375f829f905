import { expect, it } from "vitest";
import { screen } from "../../../../test/support/steps.js";
import { createProof, takeProof } from "./proof.js";
import { createTurn } from "./turn.js";

/** Whether the last of these screens proves work; each shows these last rows. */
function proves(...screens: string[][]): boolean {
  const proof = createProof();
  screens.forEach((tail, n) => {
    const reading = { busy: null, replying: true, reply: tail.join(" "), tail };
    takeProof(proof, { ...screen(reading), at: n + 1 }, createTurn());
  });
  return proof.workAt === screens.length;
}

it("text that the agent writes proves work", () => {
  expect(proves(["Working on it."], ["Working on it.", "Fixed."])).toBe(true);
});

it("the echo of rouse's own prompt proves nothing, and the answer below it does", () => {
  const echo = ["Working on it.", "> Please continue. [rouse]"];
  expect(proves(["Working on it."], echo)).toBe(false);
  expect(proves(["Working on it."], echo, [...echo, "Fixed."])).toBe(true);
});
