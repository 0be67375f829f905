/** The shortest path through the product with real processes; `test/e2e` has the long ones. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reaches, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;

beforeEach(() => {
  home = makeHome("on");
});
afterEach(async () => {
  await rouse(home, ["stop", "ada", "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

async function json<T>(...args: string[]): Promise<T> {
  const { stdout } = await rouse(home, [...args, "--json"]);
  return JSON.parse(stdout) as T;
}

describe("rouse", () => {
  it("reports an agent that asks for a permission, explains it, and stops the agent on request", async () => {
    await spawnFake(home, "ada", { steps: [{ do: "idle", ms: 1000 }, { do: "stream", ms: 3000 }, { do: "ask" }] });
    const { reasons } = await reaches(home, "ada", "needs_input/permission");
    expect(reasons.length).toBeGreaterThan(0);
    const { incidents } = await json<{ incidents: { agent: string; id: string }[] }>("incidents");
    expect(incidents.map(({ agent }) => agent)).toEqual(["ada"]);
    // A prompt must be visible for two seconds before its question is sent.
    const inbox = async (): Promise<string[]> =>
      (await json<{ messages: { msg_type: string }[] }>("messages")).messages.map(({ msg_type }) => msg_type);
    await until("a message", async () => (await inbox()).length > 0);
    expect(await inbox()).toEqual(["worker.needs_input"]);
    const why = await rouse(home, ["why", "ada"]);
    expect(why).toMatchObject({ status: 0, stderr: "" });
    expect(why.stdout).toContain("needs_input/permission");
    expect(await rouse(home, ["stop", "ada", "--grace", "0"])).toMatchObject({ status: 0, stderr: "" });
  });
});
