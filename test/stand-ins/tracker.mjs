/**
 * What the stand-ins for trackers share: issues in a file of the folder STAND_INS, written by one process at a time, and faults on
 * request (faults.json): every Nth call of a client is lost after it was done, refused by a rate limit, or answered with half
 * of its JSON. All calls take a while.
 */
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const folder = process.env.STAND_INS ?? ".";
const file = join(folder, "issues.json");
const read = (path, otherwise) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return otherwise;
  }
};
const faults = read(join(folder, "faults.json"), { every: 0, kinds: [], delayMs: 0 });

/** Reads, changes and writes the state while no other process does. */
export async function change(work) {
  const lock = join(folder, "lock");
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      await sleep(5);
    }
  }
  try {
    const state = read(file, { issues: {}, comments: [], calls: {} });
    const answer = work(state);
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
    return answer;
  } finally {
    rmdirSync(lock);
  }
}

export const pause = () => sleep(Math.random() * faults.delayMs);

/** The fault of this call of this client, if any. */
async function faultOf() {
  if (!faults.every) return null;
  const client = process.ppid;
  const count = await change((state) => {
    state.calls[client] = (state.calls[client] ?? 0) + 1;
    return state.calls[client];
  });
  return count % faults.every === 0 ? faults.kinds[(count / faults.every) % faults.kinds.length] : null;
}

export class Refused extends Error {}

/** Runs one call and prints its answer, or its fault. */
export async function answer(call) {
  const fault = await faultOf();
  if (fault === "limit") return fail("gh: API rate limit exceeded for user (HTTP 403)");
  await pause();
  let result;
  try {
    result = await call();
  } catch (error) {
    if (error instanceof Refused) return fail(error.message);
    throw error;
  }
  if (fault === "lost") return fail("connection reset by peer");
  const text = result === undefined ? "" : JSON.stringify(result);
  process.stdout.write(fault === "broken" ? text.slice(0, text.length / 2) : text);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
