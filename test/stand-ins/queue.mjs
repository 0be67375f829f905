#!/usr/bin/env node
/** A stand-in for a queue of the user's own, behind `kind = "command"`. */
import { readFileSync } from "node:fs";
import { answer, change, Refused } from "./tracker.mjs";

const { operation, key, holder, status, text } = JSON.parse(readFileSync(0, "utf8"));
const find = (state) => {
  const issue = state.issues[key];
  if (!issue) throw new Refused(`no item ${key}`);
  return issue;
};
const OPERATIONS = {
  list: (state) => Object.values(state.issues).filter((one) => one.status !== "closed"),
  read: (state) => state.issues[key] ?? null,
  mark: (state) => void Object.assign(find(state), { status, holder: status === "claimed" ? holder : null }),
  comment: (state) => void state.comments.push({ key: find(state).key, text }),
  close: (state) => void Object.assign(find(state), { status: "closed", result: text }),
};
await answer(() => change(OPERATIONS[operation]));
