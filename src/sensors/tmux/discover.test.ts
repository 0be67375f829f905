import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AdoptRules, chooseAgents, findSockets } from "./discover.js";
import { listPanes, type Pane, parsePanes } from "./panes.js";
import type { Processes, ProcessFact } from "./program.js";

const MARK = "0123456789abcdef";
const FIELDS = (listPanes(MARK)[3] as string)
  .slice(MARK.length + 1)
  .split(`${MARK};`)
  .map((field) => field.slice(2, -1));

/** A row as tmux prints it: the given fields over those of a plain shell. */
function row(given: Record<string, string>): string {
  const values: Record<string, string> = {
    pane_id: "%1",
    pane_pid: "100",
    pane_width: "120",
    pane_height: "40",
    pid: "50",
    session_id: "$0",
    session_name: "main",
    window_id: "@1",
    pane_current_command: "bash",
    ...given,
  };
  return `${MARK}:${FIELDS.map((field) => values[field] ?? "").join(`${MARK};`)}\n`;
}
const panes = (...rows: Record<string, string>[]): Pane[] => parsePanes(rows.map(row).join(""), MARK);

const NOTHING: AdoptRules = { tags: [], pattern: null, names: [], programs: false, profiles: () => [] };
const PROGRAMS: AdoptRules = { ...NOTHING, programs: true };

/** Processes as `pid: [parent, command line]`. */
function machine(lines: Record<number, [number, string]>): [ReadonlyMap<number, ProcessFact>, Processes] {
  const rows = new Map(
    Object.entries(lines).map(([pid, [ppid, line]]) => {
      const comm = line.split(" ")[0] as string;
      return [Number(pid), { pid: Number(pid), ppid, start: "1", startedAt: 1, state: "S", comm }];
    }),
  );
  const argv = (pid: number): string[] | null => lines[pid]?.[1].split(" ") ?? null;
  return [rows, { table: async () => ({ rows }), argv, exe: () => null }];
}
const chosen = (list: Pane[], rules: AdoptRules, lines?: Record<number, [number, string]>): string[] => {
  const [rows, processes] = lines ? machine(lines) : [null, null];
  return chooseAgents(list, rows, processes, rules).map(({ pane, program }) => `${pane.id} ${program?.kind ?? "-"}`);
};

describe("parsePanes", () => {
  it("reads names, titles and options as text, with separators of any kind", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (title, name) => {
        const evil = `${title}\n%2;:|\t\u001f`;
        const list = panes({ pane_title: evil, "@rouse_name": name }, { pane_id: "%2", pane_current_path: `/${name}` });
        expect(list.map((pane) => pane.id)).toEqual(["%1", "%2"]);
        expect(list[0]?.title).not.toMatch(/[\u0000-\u001f]/);
      }),
    );
  });

  it("lists a pane once if its window is in two sessions, under the session it was known by", () => {
    const text = row({}) + row({ session_id: "$7", session_name: "second" });
    expect(parsePanes(text, MARK).map((pane) => pane.session.name)).toEqual(["main"]);
    expect(parsePanes(text, MARK, () => "$7").map((pane) => pane.session.name)).toEqual(["second"]);
  });

  it("skips anything that is not a pane", () => {
    expect(panes({ pane_id: "%x; kill-server" }, { pane_pid: "-1" }, { session_id: "0" })).toEqual([]);
    expect(parsePanes("no server running", MARK)).toEqual([]);
  });
});

describe("chooseAgents", () => {
  it("finds an agent program below a shell, nearest first", () => {
    const lines: Record<number, [number, string]> = {
      100: [50, "bash"],
      101: [100, "node /usr/lib/node_modules/@openai/codex/bin/codex.js"],
      102: [101, "claude -p hello"],
    };
    expect(chosen(panes({}), PROGRAMS, lines)).toEqual(["%1 codex"]);
  });

  it.each([
    ["an agent that rouse runs in its own terminal", "node /usr/bin/rouse run -- claude"],
    ["an agent in an inner tmux", "tmux"],
  ])("skips %s, which is watched another way", (_, parent) => {
    expect(chosen(panes({}), PROGRAMS, { 100: [50, "bash"], 101: [100, parent], 102: [101, "claude"] })).toEqual([]);
  });

  it("uses the foreground program if processes cannot be listed", () => {
    expect(chosen(panes({ pane_current_command: "claude" }, { pane_id: "%2" }), PROGRAMS)).toEqual(["%1 claude-code"]);
  });

  it("finds the program of a user's own profile", () => {
    const rules = { ...PROGRAMS, profiles: () => [{ id: "mine", programs: ["myagent"] }] };
    expect(chosen(panes({}), rules, { 100: [50, "bash"], 101: [100, "myagent --yes"] })).toEqual(["%1 mine"]);
  });

  const TAGGED: AdoptRules = { ...NOTHING, tags: ["worker"] };
  const tagged = { "@rouse_tags": "worker", pane_current_command: "python3" };

  it("takes the agent of a tagged window, not the editor or the shell beside it", () => {
    const list = panes(
      { ...tagged, pane_current_command: "claude" },
      { ...tagged, pane_id: "%2", pane_current_command: "vim" },
      { ...tagged, pane_id: "%3", pane_current_command: "-zsh" },
      { ...tagged, pane_id: "%4", window_id: "@2" },
      { ...tagged, pane_id: "%5", window_id: "@3", pane_current_command: "bash" },
      { ...tagged, pane_id: "%6", window_id: "@4", pane_current_command: "bash", pane_start_command: "bash agent.sh" },
    );
    expect(chosen(list, TAGGED)).toEqual(["%1 claude-code", "%4 -", "%6 -"]);
  });

  it("takes a pane with a tag that the agent's project adds", () => {
    const rules = {
      ...TAGGED,
      tagsIn: (folder: string) => (folder === "/project" ? ["worker", "helper"] : ["worker"]),
    };
    const helper = { ...tagged, "@rouse_tags": "helper" };
    const list = panes(
      { ...helper, pane_current_path: "/project" },
      { ...helper, pane_id: "%2", window_id: "@2", pane_current_path: "/other" },
    );
    expect(chosen(list, rules)).toEqual(["%1 -"]);
  });

  it("takes every pane that the user named", () => {
    expect(chosen(panes({}, { pane_id: "%2" }), { ...NOTHING, names: ["%2"] })).toEqual(["%2 -"]);
    expect(chosen(panes({ pane_current_command: "aider" }), { ...NOTHING, names: ["main"] })).toEqual(["%1 -"]);
  });

  it("matches the pattern against session, window and given name", () => {
    const rules = { ...NOTHING, pattern: "-worker$" };
    const base = { pane_current_command: "python3" };
    for (const field of ["session_name", "window_name", "@rouse_name"]) {
      expect(chosen(panes({ ...base, [field]: "bug-7-worker" }), rules)).toEqual(["%1 -"]);
    }
    expect(chosen(panes({ ...base, pane_title: "bug-7-worker" }), rules)).toEqual([]);
  });

  it("never takes rouse's own panes or a dead pane", () => {
    const list = panes({ ...tagged, "@rouse_own": "1" }, { ...tagged, pane_id: "%2", pane_dead: "1" });
    expect(chosen(list, { ...TAGGED, programs: true, names: ["%1", "%2"] })).toEqual([]);
  });
});

describe("findSockets", () => {
  it("finds sockets in tmux's folder and the named ones, and nothing else", async () => {
    const root = mkdtempSync(join(tmpdir(), "rouse-sockets-"));
    const folder = join(root, `tmux-${process.getuid?.()}`);
    mkdirSync(folder);
    const paths = [join(folder, "default"), join(root, "elsewhere")];
    const servers = paths.map((path) => createServer().listen(path));
    await Promise.all(servers.map((server) => new Promise((done) => server.once("listening", done))));
    writeFileSync(join(folder, "file"), "");
    symlinkSync(paths[1] as string, join(folder, "link"));
    const found = await findSockets([paths[1] as string, "../../etc/passwd", "missing"], { TMUX_TMPDIR: root });
    expect(new Set(found)).toEqual(new Set(paths));
    expect(await findSockets([], { TMUX_TMPDIR: join(root, "none"), TMUX: `${paths[1]},1,0` })).toEqual([paths[1]]);
    for (const server of servers) server.close();
    rmSync(root, { recursive: true, force: true });
  });
});
