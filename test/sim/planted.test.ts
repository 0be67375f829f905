import { describe, expect, it } from "vitest";
import { findBug, PLANTED } from "./planted.js";

describe("the simulator", () => {
  it.each(PLANTED.map((planted) => [planted.bug, planted] as const))(
    "catches %s",
    { timeout: 300_000 },
    async (_, planted) => {
      expect(await findBug(planted, 12)).not.toBeNull();
    },
  );
});
