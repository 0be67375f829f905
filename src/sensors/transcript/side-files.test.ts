/** The files of subagents, as each program lays them out. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { SideFiles } from "./side-files.js";

const P = "01a1e6da-6529-7f00-93ff-fc3f8ea989d6";
const C = "01a1e6da-93b1-7ed3-b1ff-3758f7784598";
const OTHER = "01a1e6da-ffff-7ed3-b1ff-3758f7784598";

let root: string;
let side: SideFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-side-files-"));
});
afterEach(async () => {
  await side.close();
  rmSync(root, { recursive: true, force: true });
});

const line = (record: object): string => `${JSON.stringify({ timestamp: new Date().toISOString(), ...record })}\n`;
const short = (signals: readonly Signal[]): string[] =>
  signals.map((s) => (s.kind === "tool_start" ? `${s.kind} ${s.id} ${s.nested}` : s.kind));

describe("side files of Codex", () => {
  const folder = () => join(root, "2026", "11", "17");
  const rollout = (id: string): string => join(folder(), `rollout-2026-11-17T00-13-54-${id}.jsonl`);
  const meta = (id: string, session: string, source: unknown): string =>
    line({ type: "session_meta", payload: { id, session_id: session, cwd: "/p", source } });
  const subagent = { subagent: { thread_spawn: { parent_thread_id: P, depth: 1 } } };
  const call = (id: string): string =>
    line({
      type: "response_item",
      payload: { type: "function_call", name: "exec_command", call_id: id, arguments: '{"cmd":"npm test"}' },
    });
  const result = (id: string): string =>
    line({ type: "response_item", payload: { type: "function_call_output", call_id: id, output: "ok" } });

  it("are the rollouts of its own subagents, from the call that is open when they are found", async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(rollout(P), meta(P, P, "cli") + call("own"));
    writeFileSync(rollout(C), meta(C, P, subagent) + call("old") + result("old") + call("open"));
    writeFileSync(rollout(OTHER), meta(OTHER, OTHER, subagent) + call("other"));
    side = new SideFiles(rollout(P), root, "codex");
    expect(short(await side.read(Date.now()))).toEqual(["tool_start open true"]);
    appendFileSync(rollout(OTHER), call("more"));
    expect(await side.read(Date.now())).toEqual([]);
    appendFileSync(rollout(C), result("open"));
    expect(short(await side.read(Date.now()))).toEqual(["tool_end"]);
    appendFileSync(rollout(C), line({ type: "event_msg", payload: { type: "task_complete" } }));
    expect(short(await side.read(Date.now()))).toEqual(["delta"]);
  });

  it("are found once their first line is complete", async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(rollout(P), meta(P, P, "cli"));
    writeFileSync(rollout(C), meta(C, P, subagent).slice(0, 40));
    side = new SideFiles(rollout(P), root, "codex");
    expect(await side.read(Date.now())).toEqual([]);
    writeFileSync(rollout(C), meta(C, P, subagent) + call("open"));
    expect(short(await side.read(Date.now()))).toEqual(["tool_start open true"]);
  });
});

describe("side files of Gemini CLI", () => {
  it("are in the folder with the id of the session", async () => {
    const chats = join(root, "project", "chats");
    const chat = join(chats, `session-2026-11-17T00-15-${P.slice(0, 8)}.jsonl`);
    mkdirSync(chats, { recursive: true });
    writeFileSync(chat, line({ sessionId: P, projectHash: "h", kind: "main" }));
    side = new SideFiles(chat, root, "gemini");
    expect(await side.read(Date.now())).toEqual([]);
    mkdirSync(join(chats, P));
    const own = join(chats, P, `${C}.jsonl`);
    writeFileSync(own, line({ sessionId: C, projectHash: "h", kind: "subagent" }));
    expect(await side.read(Date.now())).toEqual([]);
    appendFileSync(own, line({ id: "m1", type: "gemini", content: "Looking.", tokens: { input: 5, output: 7 } }));
    expect(short(await side.read(Date.now()))).toContain("tokens");
  });
});
