#!/usr/bin/env node
/**
 * A model program for benchmarks: it knows the answers to each prompt from a file, and plays always right, always wrong,
 * abstaining, malformed or gone. Arguments: the play, the file, and a file that counts its runs.
 */
import { appendFileSync, readFileSync } from "node:fs";

const [play, answers, runs] = process.argv.slice(2);
const prompt = readFileSync(0, "utf8");
appendFileSync(runs, "run\n");
if (play === "gone") process.exit(7);
const known = JSON.parse(readFileSync(answers, "utf8")).find((one) => prompt.includes(one.context));
process.stdout.write(JSON.stringify(known[play] ?? "I would rather not say."));
