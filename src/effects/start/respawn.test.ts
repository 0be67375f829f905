import { expect, it } from "vitest";
import type { AgentSession } from "../../core/agent.js";
import { respawnPane } from "./respawn.js";

const inPane = (pane: AgentSession["pane"], command = ["claude"]) =>
  respawnPane({ id: "s1", pid: 1, workspace: null, pane } as AgentSession, command);
const no = (reason: string) => ({ started: false, acted: false, reason });

it("restarts nothing in a pane that is unknown, has no valid id, or is gone", async () => {
  expect(await inPane(null)).toEqual(no("its pane is unknown"));
  expect(await inPane({ socket: "/none", id: "%1;kill-server" })).toEqual(no("its pane is unknown"));
  expect(await inPane({ socket: "/none", id: "%1" })).toEqual(no("its pane is gone"));
});

it("restarts no command that tmux would take for the end of a command", async () => {
  const result = await inPane({ socket: "/none", id: "%1" }, ["claude", "a;"]);
  expect(result).toEqual(no("tmux cannot run its command unchanged"));
});
