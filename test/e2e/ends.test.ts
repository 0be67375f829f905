import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeScript, fakeAgent, reaches, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, hasTmux, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";

const WORKS = [{ do: "idle", ms: 500 }, { do: "stream" }] as const;

let home: Home;
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-f", "/dev/null", "-L", "own", ...args], { env: home.env, encoding: "utf8" });

beforeAll(() => {
  home = makeHome("on");
  home.env.TMUX_TMPDIR = home.path;
});

afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** A shell in a tmux session that runs these agents one after the other, ten seconds apart. */
function inPane(session: string, ...scripts: FakeScript[]): void {
  const commands = scripts.map((script, n) => fakeAgent(home, `${session}-${n}`, script).join(" "));
  const line = `${commands.join("; sleep 10; ")}; exec sleep 1000`;
  tmux("new-session", "-d", "-s", session, "-x", "120", "-y", "40", "sh", "-c", line);
  tmux("set-option", "-t", session, "@rouse_tags", "watched");
}

const incidents = async (): Promise<string> => (await rouse(home, ["incidents"])).stdout;
const status = async (): Promise<string> => (await rouse(home, ["status"])).stdout;
const end = (pid: number | null, signal: NodeJS.Signals): void => {
  process.kill(pid as number, signal);
};

describe.skipIf(!hasTmux)("a watched agent that ends", () => {
  it("outside a turn is over: it stays listed for a while, and nothing is escalated", async () => {
    await rouse(home, ["watch", "--tag", "watched"]);
    for (const session of ["one", "two", "three"]) inPane(session, { steps: [{ do: "idle" }] });
    try {
      for (const session of ["one", "two", "three"]) end((await reaches(home, session, "idle")).pid, "SIGTERM");
      for (const session of ["one", "two", "three"])
        await until(`the end of ${session}`, async () => (await reaches(home, session, "idle")).ended_at !== null);
      const { reasons } = await reaches(home, "one", "idle");
      expect(reasons).toEqual([
        expect.stringMatching(/^The process exited outside a turn .*; its exit status is not known$/),
      ]);
      expect(await status()).toMatch(/^one .*ended/m);
      expect(await incidents()).toBe("No incidents.\n");
      expect((await rouse(home, ["health"])).status).toBe(0);
    } finally {
      tmux("kill-server");
    }
  });

  it("in a turn is gone and stays listed, and its incident closes when the next agent of the pane works", async () => {
    await rouse(home, ["watch", "--tag", "watched"]);
    inPane(
      "crew",
      { steps: WORKS },
      { steps: [{ do: "idle", ms: 500 }, { do: "think", ms: 40_000 }, { do: "finish" }] },
    );
    try {
      end((await reaches(home, "crew", "working")).pid, "SIGKILL");
      const gone = await reaches(home, "crew", "gone*");
      expect(gone.reasons[0]).toMatch(
        /^The process exited in the middle of its work .*; its exit status is not known$/,
      );
      expect(await status()).toMatch(/^crew .*gone/m);
      expect(await incidents()).toContain("crew");
      await until("the next agent", async () => (await viewOf(home, "crew"))?.state === "working");
      await until("its incident to close", async () => !(await incidents()).includes("crew"), 90_000);
    } finally {
      tmux("kill-server");
    }
  });
});

it("an agent that fails at its start under rouse run is reported, although no daemon was running", async () => {
  await rouse(home, ["down"]);
  const command = fakeAgent(home, "early", { steps: [{ do: "no such step" }] });
  const terminal = rouseInTerminal(home, ["run", "--name", "early", "--", ...command]);
  expect(await terminal.exited).toMatchObject({ code: 1 });
  await reaches(home, "early", "gone/exit_code");
});
