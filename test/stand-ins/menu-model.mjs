#!/usr/bin/env node
/**
 * A model program for the benchmark: it knows the right answer of each prompt from a file, and plays always right, always
 * wrong, abstaining, gone or malformed. Arguments: the play, the file, and a file that counts its runs.
 */
import { appendFileSync, readFileSync } from "node:fs";

const [play, answers, runs] = process.argv.slice(2);
const prompt = readFileSync(0, "utf8");
appendFileSync(runs, "run\n");
const { context: _, ...right } = JSON.parse(readFileSync(answers, "utf8")).find((one) => prompt.includes(one.context));
const wrong = {
  cause: right.cause === "auth" ? "crash" : "auth",
  diagnosis: "It is something else.",
  actions: [{ type: "retrigger_job", job_id: "999", reason: "" }],
};
const PLAYS = {
  right: () => JSON.stringify(right),
  wrong: () => JSON.stringify(wrong),
  abstaining: () => JSON.stringify({ cause: null, diagnosis: "I cannot tell.", actions: [] }),
  malformed: () => JSON.stringify({ ...right, cause: "gremlins" }),
  gone: () => process.exit(7),
};
process.stdout.write(PLAYS[play]());
