/** The judgement alone, in any JavaScript runtime: no files, no clock, no Node.js. `node examples/judge.ts` (Node.js 22.18 or newer) */
import { assess, createEvidence, PLAIN_TRAITS, takeSignal } from "rouse/core";

export function main(say: (line: string) => void): void {
  const evidence = createEvidence(PLAIN_TRAITS);
  const start = Date.UTC(2026, 10, 15, 9);
  takeSignal(evidence, { kind: "turn", at: start, source: "stream", phase: "start" });
  takeSignal(evidence, { kind: "delta", at: start + 2000, source: "stream", channel: "content", chars: 120 });
  for (const minutes of [0.1, 30]) {
    const { state, cause, reasons } = assess(evidence, start + minutes * 60_000);
    say(`after ${minutes} min: ${state}${cause === null ? "" : ` (${cause})`}: ${reasons[0]}`);
  }
}

if (import.meta.filename === process.argv[1]) main((line) => console.log(line));
