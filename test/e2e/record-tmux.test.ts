import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Recorder } from "../../src/cli/commands/record/recorder.js";
import type { AgentSession } from "../../src/core/agent.js";
import { rouse } from "../support/rouse.js";
import { NO_TMUX, RecordedAgent, TestServer, until } from "../support/tmux.js";

/** The file as far as it is written. */
function castOf(folder: string): string {
  const path = join(folder, "session.cast.gz");
  if (!existsSync(path)) return "";
  return gunzipSync(readFileSync(path), { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
}

let server: TestServer;

beforeEach(() => {
  server = new TestServer();
});

afterEach(() => server.stop());

describe.skipIf(NO_TMUX)("recording a tmux pane", () => {
  it("keeps the pane's content, so that replay judges the same, and ends with the pane", async () => {
    const agent = await RecordedAgent.of(server, "claude/permission", "claude", 12);
    await server.tmux("new-session", "-d", "-s", "work", "-x", "120", "-y", "40", ...agent.command);
    const [id = "", pid = ""] = (await server.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}")).split(" ");
    const session: AgentSession = {
      id: "s1",
      name: "work",
      kind: "claude-code",
      tags: [],
      origin: "tmux",
      command: ["claude"],
      workspace: null,
      task: null,
      policy: null,
      pid: Number(pid),
      pidStart: null,
      startedAt: Date.now(),
      hostSocket: null,
      pane: { socket: server.socket, id },
      endedAt: null,
    };
    const folder = join(server.folder, "case");
    const recorder = new Recorder({ session, version: null, host: null }, folder, { by: "test", keysWhole: false });
    await recorder.start();
    await until("the first screen", () =>
      server.tmux("capture-pane", "-p", "-t", id).then((text) => text.trim() !== ""),
    );
    agent.playTo(60);
    await until("the question", () =>
      server.tmux("capture-pane", "-p", "-t", id).then((text) => text.includes("proceed")),
    );
    await until("it to be recorded", () => castOf(folder).includes("proceed"));
    await server.tmux("kill-server");
    await recorder.ended;
    expect(await recorder.stop()).toMatchObject({ name: "work", ended: true });
    expect(JSON.parse(castOf(folder).split("\n")[0] ?? "")).toMatchObject({ version: 2, width: 120, height: 40 });
    const { status, stdout } = rouse(["replay", folder, "--json"]);
    expect(status).toBe(0);
    const said = JSON.parse(stdout).timeline.map(({ state, cause }: Record<string, string>) => `${state}/${cause}`);
    expect(said).toContain("needs_input/permission");
  });
});
