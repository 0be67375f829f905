/**
 * Looks for output that costs too much: new output from a grammar, and variants of the costliest so far.
 * `ROUSE_FUZZ_SEED=7 npx vitest run test/hostile/terminal-fuzz.test.ts` repeats a run. A found case belongs into
 * `test/fixtures/hostile-output.json`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Random } from "../sim/random.js";
import {
  LARGEST,
  LARGEST_TARGET,
  type Measurement,
  measure,
  SCREEN,
  shrink,
  TARGETS,
  type Target,
} from "./output-cost.js";
import { type HostileOutput, OutputGrammar } from "./output-grammar.js";

const FULL = process.env.ROUSE_FULL === "1";
const FUZZ_SECONDS = Number(process.env.ROUSE_FUZZ_SECONDS) || (FULL ? 600 : 60);
const SEED = process.env.ROUSE_FUZZ_SEED ?? String(Date.now());
const WARM_UP = 300;

interface FoundCase {
  what: string;
  pieces: HostileOutput["pieces"];
}

const FOUND = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "fixtures", "hostile-output.json"), "utf8"),
) as FoundCase[];

/** Compiles what is measured later, and loads what is loaded once. */
async function warmUp(target: Target, size: typeof SCREEN): Promise<void> {
  const grammar = new OutputGrammar(new Random("warm-up"));
  const count = target.bySteps ? WARM_UP / 20 : WARM_UP;
  for (let n = 0; n < count; n++) await measure(target, grammar.output(size));
}

beforeAll(async () => {
  for (const target of TARGETS) await warmUp(target, SCREEN);
  await warmUp(LARGEST_TARGET, LARGEST);
}, 600_000);

describe("output that was found to be costly", () => {
  it.each(FOUND.map((found) => [found.what, found] as const))(
    "costs a bounded amount of CPU and memory: %s",
    async (_, found) => {
      const problems: string[] = [];
      for (const target of TARGETS)
        problems.push(...problemOf(target, await measure(target, { pieces: found.pieces, ...SCREEN })));
      problems.push(...problemOf(LARGEST_TARGET, await measure(LARGEST_TARGET, { pieces: found.pieces, ...LARGEST })));
      expect(problems).toEqual([]);
    },
  );
});

const problemOf = (target: Target, { problem }: { problem: string | null }): string[] =>
  problem === null ? [] : [`${target.name}: ${problem}`];

/** The costliest outputs for a target, which are varied to find costlier ones. */
class Costliest {
  readonly #kept: { share: number; output: HostileOutput }[] = [];

  add(share: number, output: HostileOutput): void {
    this.#kept.push({ share, output });
    this.#kept.sort((a, b) => b.share - a.share);
    this.#kept.length = Math.min(this.#kept.length, 12);
  }

  next(random: Random, grammar: OutputGrammar, size: typeof SCREEN): HostileOutput {
    const isNew = this.#kept.length === 0 || random.chance(0.5);
    return isNew ? grammar.output(size) : grammar.variant(random.pick(this.#kept).output);
  }
}

class Worst {
  share = 0;
  cpuMs = 0;
  bytes = 0;
  memoryMb = 0;
  tried = 0;

  add({ share, cpuMs, bytes, memoryMb }: Measurement): void {
    this.tried++;
    this.memoryMb = Math.max(this.memoryMb, memoryMb);
    if (share > this.share) Object.assign(this, { share, cpuMs, bytes });
  }

  toString(): string {
    const [percent, ms, mb] = [this.share * 100, this.cpuMs, this.memoryMb].map((n) => n.toFixed(0));
    return `${this.tried} outputs, at most ${percent} % of the limit (${ms} ms for ${this.bytes} bytes), ${mb} MB`;
  }
}

describe(`hostile output, for ${FUZZ_SECONDS} s`, () => {
  it(`costs at most 50 ms of CPU per kB, 20 ms if it is short, and 64 MB; no step in the largest terminal takes 100 ms (seed ${SEED})`, {
    timeout: FUZZ_SECONDS * 5000 + 600_000,
  }, async () => {
    const random = new Random(SEED);
    const grammar = new OutputGrammar(random);
    const targets = [...TARGETS, LARGEST_TARGET].map((target) => ({
      target,
      costliest: new Costliest(),
      worst: new Worst(),
      size: target === LARGEST_TARGET ? LARGEST : SCREEN,
    }));
    const folder = mkdtempSync(join(tmpdir(), "rouse-fuzz-"));
    console.log(`fuzz: seed ${SEED}; if it hangs, ${folder}/output.json holds the output that did it`);
    const deadline = performance.now() + FUZZ_SECONDS * 1000;
    while (performance.now() < deadline) {
      const { target, costliest, worst, size } = random.pick(targets);
      const output = costliest.next(random, grammar, size);
      writeFileSync(join(folder, "output.json"), JSON.stringify(output));
      const measurement = await measure(target, output);
      worst.add(measurement);
      costliest.add(measurement.share, output);
      if (measurement.problem === null) continue;
      const shrunk = await shrink(target, output);
      // The search for a smaller one may show that it was noise.
      const { problem } = await measure(target, shrunk);
      expect(problem, `seed ${SEED}, ${target.name}: ${JSON.stringify(shrunk)}`).toBeNull();
    }
    rmSync(folder, { recursive: true });
    for (const { target, worst } of targets) console.log(`fuzz: ${target.name}: ${worst.toString()}`);
    for (const { worst } of targets) expect(worst.tried).toBeGreaterThan(FUZZ_SECONDS / 20);
  });
});
