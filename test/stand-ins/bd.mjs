#!/usr/bin/env node
/** A stand-in for `bd`. Its claim is not atomic: it reads, takes a while and writes. */
import { answer, change, pause, Refused } from "./tracker.mjs";

const args = process.argv.slice(2).filter((one) => one !== "--json");
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const [command, key] = args;
const find = (state, id) => {
  const issue = state.issues[id];
  if (!issue) throw new Refused(`Error: no issue found matching "${id}"`);
  return issue;
};
const all = (of) => change((state) => Object.values(state.issues).filter(of));
const set = (id, fields) =>
  change((state) => [Object.assign(find(state, id), fields, { updated_at: new Date().toISOString() })]);

const COMMANDS = {
  ready: () => all(({ status }) => status === "open"),
  list: () => all(({ status }) => status === option("--status")),
  show: () => change((state) => [find(state, key)]),
  update: async () => {
    if (!args.includes("--claim")) return set(key, { status: option("--status"), assignee: option("--assignee") });
    if (process.env.STAND_IN_OLD) throw new Refused("Error: unknown flag: --claim");
    const { status, assignee } = await change((state) => find(state, key));
    if (status !== "open") throw new Refused(`Error: issue already claimed by ${assignee}`);
    await pause();
    return set(key, { status: "in_progress", assignee: option("--actor") });
  },
  close: () => set(key, { status: "closed", close_reason: option("--reason") }),
  comments: () =>
    change((state) => {
      state.comments.push({ key: find(state, args[2]).id, text: args[3] });
      return {};
    }),
};
await answer(() => {
  const run = COMMANDS[command];
  if (!run) throw new Refused(`unknown command ${command}`);
  return run();
});
