/** The command /rouse of the Claude Code plugin: instructions for a model, which can only call tools that exist. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TOOLS } from "../src/api/mcp/tools.js";

const text = readFileSync(join(import.meta.dirname, "..", "plugin", "commands", "rouse.md"), "utf8");
const [, head = "", body = ""] = text.split(/^---$/m);
const allowed = [...head.matchAll(/mcp__plugin_rouse_rouse__(\w+)/g)].map(([, name]) => name as string);

it("/rouse is allowed to call only tools that exist, and names no other", () => {
  const names = TOOLS.map(({ name }) => name);
  expect(allowed.filter((name) => !names.includes(name))).toEqual([]);
  const named = [...body.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name as string);
  expect(named.filter((name) => !allowed.includes(name) && !["needs_input", "pane_id"].includes(name))).toEqual([]);
});

it("/rouse never gets a tool that types into another agent at once, or ends one", () => {
  for (const name of ["send_input", "close_pane", "kill_session", "recover_agent", "spawn_agent"])
    expect(allowed).not.toContain(name);
});

it("/rouse monitor start and stop are calls that the tools accept", () => {
  const [, given = ""] = /`watchdog_start` with `(\{.*?\})`/.exec(body) ?? [];
  const start = TOOLS.find(({ name }) => name === "watchdog_start");
  const asked = start?.input.parse(JSON.parse(given)) ?? {};
  expect(asked).toMatchObject({ on_messages: true, interval_secs: 30 });
  const own = { session: "s1", cwd: "/" };
  expect(start?.asks({ own, ...asked })).toMatchObject({ agent: "s1", on_messages: true });
  expect(TOOLS.find(({ name }) => name === "watchdog_stop")?.asks({ own })).toEqual({ agent: "s1" });
  for (const word of ["monitor start", "monitor stop", "monitor check"]) expect(body).toContain(`| \`${word}\` |`);
});
