import { expect, it } from "vitest";
import { closedPort, type PortView } from "./port.js";

const UNTRIED: PortView = { address: "127.0.0.1", port: 17_687, listening: false, error: null };
const nothing = async (): Promise<void> => {};

async function warning(...views: (PortView | null)[]): Promise<string | null> {
  const left = [...views];
  return closedPort(async () => (left.length > 1 ? left.shift() : left[0]) ?? null, nothing);
}

it("waits for a daemon that has not tried its port yet, and then gives the reason", async () => {
  const taken = { ...UNTRIED, error: "another program uses it" };
  expect(await warning(UNTRIED, UNTRIED, taken)).toBe(
    "port 127.0.0.1:17687 is not open: another program uses it; there is no HTTP API until it is",
  );
});

it("says nothing if the port opens, is switched off, or the daemon does not answer", async () => {
  expect(await warning(UNTRIED, { ...UNTRIED, listening: true })).toBeNull();
  expect(await warning({ ...UNTRIED, port: 0 })).toBeNull();
  expect(await warning(null)).toBeNull();
});

it("says that the daemon is still starting if it never tries", async () => {
  expect(await warning(UNTRIED)).toBe("the daemon is still starting and has not opened its HTTP port yet");
});
