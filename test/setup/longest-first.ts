/**
 * The files that take longest are begun first: without a record of an earlier run, as in CI, they are sorted by their size, and the
 * demo, which waits for seven minutes on two busy cores, would be begun when most of the others are done.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONGEST = [
  "test/e2e/demo.test.ts",
  "test/sim/sim.test.ts",
  "test/e2e/acting.test.ts",
  "test/replay/replay.test.ts",
  "test/e2e/daemon-life.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const n = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return n < 0 ? LONGEST.length : n;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
