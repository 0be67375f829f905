#!/usr/bin/env node
/** A stand-in for `gh api` with the calls about issues. Every account sees the same issues; STAND_IN_LOGIN is the caller. */
import { readFileSync } from "node:fs";
import { answer, change, Refused } from "./tracker.mjs";

const [api, ...rest] = process.argv.slice(2);
const method = rest[rest.indexOf("--method") + 1];
const address = new URL(rest.at(-1), "http://x/");
const input = rest.includes("--input") ? JSON.parse(readFileSync(0, "utf8")) : {};
const login = process.env.STAND_IN_LOGIN ?? "bot";
const WRITERS = { bot: "write", owner: "admin", alice: "write", stranger: "read" };

const find = (state, id) => {
  const issue = state.issues[id];
  if (!issue) throw new Refused("gh: Not Found (HTTP 404)");
  return issue;
};
const shown = ({ id, title, body, state, labels, assignees, updated_at }) => ({
  number: Number(id),
  title,
  body,
  state,
  updated_at,
  labels: labels.map(({ name }) => ({ name })),
  assignees: assignees.map((one) => ({ login: one })),
});
const touch = (issue) => Object.assign(issue, { updated_at: `${Date.now()}-${Math.random()}` });
const numberOf = (match) => match[1];
const page = (all) => {
  const size = Number(address.searchParams.get("per_page") ?? 30);
  const at = (Number(address.searchParams.get("page") ?? 1) - 1) * size;
  return all.slice(at, at + size);
};

/** Method and path, and what it does. */
const ROUTES = [
  ["GET", /^user$/, () => ({ login })],
  [
    "GET",
    /^repos\/o\/r\/collaborators\/([^/]+)\/permission$/,
    (_, match) => ({ permission: WRITERS[match[1]] ?? "none" }),
  ],
  [
    "GET",
    /^repos\/o\/r\/issues$/,
    (state) =>
      page(
        Object.values(state.issues).filter(
          (one) => one.state === "open" && one.labels.some(({ name }) => name === address.searchParams.get("labels")),
        ),
      ).map(shown),
  ],
  ["GET", /^repos\/o\/r\/issues\/(\d+)$/, (state, match) => shown(find(state, numberOf(match)))],
  [
    "GET",
    /^repos\/o\/r\/issues\/(\d+)\/events$/,
    (state, match) =>
      page(
        find(state, numberOf(match)).labels.map(({ name, by }) => ({
          event: "labeled",
          label: { name },
          actor: { login: by },
        })),
      ),
  ],
  [
    "GET",
    /^repos\/o\/r\/issues\/(\d+)\/comments$/,
    (state, match) =>
      page(
        state.comments
          .filter(({ key }) => key === numberOf(match))
          .map(({ id, text, by }) => ({ id, body: text, user: { login: by } })),
      ),
  ],
  [
    "POST",
    /^repos\/o\/r\/issues\/(\d+)\/comments$/,
    (state, match) => {
      const comment = {
        id: state.comments.length + 1,
        key: touch(find(state, numberOf(match))).id,
        text: input.body,
        by: login,
      };
      state.comments.push(comment);
      return { id: comment.id };
    },
  ],
  [
    "PATCH",
    /^repos\/o\/r\/issues\/comments\/(\d+)$/,
    (state, match) => {
      const comment = state.comments.find(({ id }) => id === Number(match[1]));
      if (!comment) throw new Refused("gh: Not Found (HTTP 404)");
      comment.text = input.body;
      return { id: comment.id };
    },
  ],
  [
    "POST",
    /^repos\/o\/r\/issues\/(\d+)\/assignees$/,
    (state, match) => {
      const issue = touch(find(state, numberOf(match)));
      issue.assignees = [...new Set([...issue.assignees, ...input.assignees])];
      return shown(issue);
    },
  ],
  [
    "DELETE",
    /^repos\/o\/r\/issues\/(\d+)\/assignees$/,
    (state, match) => {
      const issue = touch(find(state, numberOf(match)));
      issue.assignees = issue.assignees.filter((one) => !input.assignees.includes(one));
      return shown(issue);
    },
  ],
  [
    "PATCH",
    /^repos\/o\/r\/issues\/(\d+)$/,
    (state, match) => shown(touch(Object.assign(find(state, numberOf(match)), input))),
  ],
];

await answer(() => {
  if (api !== "api") throw new Refused(`unknown command ${api}`);
  const path = address.pathname.slice(1);
  const [, pattern, run] = ROUTES.find(([of, route]) => of === method && route.test(path)) ?? [];
  if (!run) throw new Refused(`gh: Not Found (HTTP 404): ${method} ${path}`);
  return change((state) => run(state, pattern.exec(path)));
});
