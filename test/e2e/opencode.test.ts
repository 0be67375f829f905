/** A program called `opencode` that writes a database as OpenCode does, under the real daemon. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;

beforeEach(() => {
  home = makeHome("on");
});

afterEach(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toMatchObject({ processes: [] });
});

/** A tool runs from the first second, and the turn ends when the file `go` exists. */
const PROGRAM = `
import { existsSync, mkdirSync } from "node:fs";
import { loadSqlite } from ${JSON.stringify(new URL("../../dist/store/sqlite.js", import.meta.url).href)};
const folder = process.env.XDG_DATA_HOME + "/opencode";
mkdirSync(folder, { recursive: true });
const db = loadSqlite().open(folder + "/opencode.db");
db.exec(\`pragma journal_mode = wal;
create table session (id text primary key, parent_id text, directory text, version text, time_created integer,
  time_updated integer, time_compacting integer);
create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer,
  data text);\`);
const put = (table, ...values) =>
  db.prepare("insert or replace into " + table + " values (" + values.map(() => "?").join() + ")").run(...values);
const now = Date.now();
const tool = (state) => JSON.stringify({ type: "tool", tool: "bash", state: { input: { command: "make all" }, ...state } });
const reply = (more) => JSON.stringify({ role: "assistant", ...more, time: { created: now, ...more.time } });
put("session", "ses_1", null, process.cwd(), "1.18.33", now, now, null);
put("message", "m1", "ses_1", now, now, JSON.stringify({ role: "user", time: { created: now } }));
put("part", "p1", "m1", "ses_1", now, now, JSON.stringify({ type: "text", text: "build it" }));
put("message", "m2", "ses_1", now, now, reply({}));
put("part", "p2", "m2", "ses_1", now, now, tool({ status: "running", time: { start: now } }));
const timer = setInterval(() => {
  if (!existsSync("go")) return;
  clearInterval(timer);
  const end = Date.now();
  put("part", "p2", "m2", "ses_1", now, end, tool({ status: "completed", output: "ok", time: { start: now, end } }));
  put("part", "p3", "m2", "ses_1", end, end, JSON.stringify({ type: "text", text: "All is built.", time: { start: end, end } }));
  put("message", "m2", "ses_1", now, end, reply({ finish: "stop", time: { completed: end } }));
  setInterval(() => {}, 1000);
}, 50);
`;

it("OpenCode is read live: its running tool is visible, its turn ends as in the database, and a recording contains the rows", async () => {
  const work = join(home.path, "work");
  mkdirSync(work);
  const program = join(work, "opencode");
  writeFileSync(program, `#!${process.execPath}\nimport(${JSON.stringify(join(work, "program.mjs"))});\n`, {
    mode: 0o755,
  });
  writeFileSync(join(work, "program.mjs"), PROGRAM);
  const place: Home = { path: work, env: { ...home.env, XDG_DATA_HOME: join(home.path, "data") } };
  expect(await rouse(place, ["spawn", "--name", "worker", "--", program])).toMatchObject({ status: 0, stderr: "" });
  const seen = async (): Promise<string> => JSON.stringify(await viewOf(home, "worker"));
  await until("the tool to be visible", async () => (await seen()).includes("make all"), 40_000).catch(
    async (error) => {
      throw new Error(`${error.message}; it is ${await seen()}`);
    },
  );
  const out = join(home.path, "out");
  const recording = rouse(home, ["record", "worker", "--out", out]);
  const rows = (): string => {
    try {
      return readFileSync(join(out, readdirSync(out)[0] ?? "", "transcript-db.jsonl"), "utf8");
    } catch {
      return "";
    }
  };
  await until("the rows to be recorded", () => rows().includes("make all"));
  writeFileSync(join(work, "go"), "");
  await until("the end of the turn", async () => (await viewOf(home, "worker"))?.state === "complete", 40_000);
  await until("the answer to be recorded", () => rows().includes("All is built."));
  await rouse(home, ["stop", "worker", "--grace", "1"]);
  expect(await recording).toMatchObject({ status: 0, stdout: expect.stringContaining("1 transcript") });
  const replayed = await rouse(home, [
    "replay",
    join(out, readdirSync(out)[0] ?? ""),
    "--sources",
    "transcript",
    "--json",
  ]);
  const states = JSON.parse(replayed.stdout).timeline.map(({ state }: { state: string }) => state);
  expect(states).toEqual(expect.arrayContaining(["complete"]));
});
