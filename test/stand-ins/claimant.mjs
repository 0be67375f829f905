#!/usr/bin/env node
/**
 * A foreign client of a tracker, such as a colleague's agent: takes open issues from the end of the list, reads back what it wrote, and
 * starts if it is the first holder. Arguments: bd or gh, the number of issues, the settle time. Each start is one JSON line.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const [kind, count, settleMs] = process.argv.slice(2);
const run = promisify(execFile);
const ME = "alice";
const once = async (...args) => {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, `${kind}.mjs`), ...args], {
    env: { ...process.env, STAND_IN_LOGIN: ME },
  });
  return stdout === "" ? null : JSON.parse(stdout);
};
const call = async (...args) => {
  for (;;)
    try {
      return await once(...args);
    } catch {
      await sleep(20);
    }
};

const KINDS = {
  bd: {
    isFree: async (key) => (await call("show", key, "--json"))[0].status === "open",
    take: (key) => once("update", key, "--claim", "--actor", ME, "--json").catch(() => {}),
    isMine: async (key) => (await call("show", key, "--json"))[0].assignee === ME,
  },
  gh: {
    isFree: async (key) => {
      const issue = await call("api", "--method", "GET", `repos/o/r/issues/${key}`);
      return issue.state === "open" && issue.assignees.length === 0;
    },
    take: (key) => assign(key),
    isMine: async (key) => {
      const issue = await call("api", "--method", "GET", `repos/o/r/issues/${key}`);
      return issue.assignees[0]?.login === ME;
    },
  },
};

/** The body goes to standard input. */
async function assign(key) {
  const args = ["api", "--method", "POST", "--input", "-", `repos/o/r/issues/${key}/assignees`];
  const child = execFile(process.execPath, [join(import.meta.dirname, "gh.mjs"), ...args], {
    env: { ...process.env, STAND_IN_LOGIN: ME },
  });
  child.stdin.end(JSON.stringify({ assignees: [ME] }));
  await new Promise((resolve) => child.once("close", resolve));
}

const { isFree, take, isMine } = KINDS[kind];
for (let key = Number(count); key > 0; key--) {
  if (!(await isFree(String(key)))) continue;
  await take(String(key));
  await sleep(Number(settleMs));
  if (await isMine(String(key))) process.stdout.write(`${JSON.stringify({ key: String(key), by: ME })}\n`);
}
