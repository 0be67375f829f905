/** Clients of a host's socket that press keys. This process is the client; `test/e2e/inside.test.ts` has real agents. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/support/hosts.js";
import { sessionOf } from "../../test/support/sessions.js";
import { identityOf } from "../sensors/process/process-sensor.js";
import { askHostProcess } from "./ask.js";
import { frameLine, type ToHost } from "./frames.js";
import { checkKeyClient, type RefusedKeys } from "./key-clients.js";
import { type HostRecord, writeRecord } from "./registry.js";
import { Ring } from "./ring.js";
import { Viewers } from "./viewers.js";

const hasSs = ((): boolean => {
  try {
    execFileSync("ss", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

let folder: string;
let viewers: Viewers;
let pressed: string[];
let refused: unknown[];
let checkKeys: (client: Socket, own: HostRecord) => Promise<RefusedKeys | null>;

const paths = () => ({ hostSocket: () => join(folder, "host.sock"), sessions: join(folder, "sessions") });
const me = { pid: process.pid, pidStart: identityOf(process.pid) };
const other = { pid: 1, pidStart: "boot:1" };

function record(name: string, { pid, pidStart }: { pid: number; pidStart: string | null }): HostRecord {
  const session = sessionOf({ id: `s-${name}`, name, pid, pidStart });
  return { ...session, hostPid: process.pid, hostStart: me.pidStart, cols: 80, rows: 24, exit: null };
}

async function host(own: HostRecord): Promise<void> {
  viewers = new Viewers(
    paths().hostSocket(),
    {
      ring: new Ring(1000),
      size: () => ({ cols: 80, rows: 24 }),
      input: (bytes) => pressed.push(bytes.toString()),
      viewed: () => {},
      type: async (text) => pressed.push(text),
      notify: async () => 0,
      rows: () => null,
      check: () => ({ terminalState: null, reason: "none" }),
      press: () => ({ bytes: 1, reason: null }),
      checkKeys: (client) => checkKeys(client, own),
      keysRefused: (order, text, { by }) => refused.push([order, text, by]),
      stop: async () => ({ isGone: true, isKilled: false, processes: 1, left: [] }),
      info: () => ({}),
    },
    (error) => {
      throw error;
    },
  );
  await until("the host to listen", async () => (await ask({ op: "info" }, "info")).kind === "answer");
}

const ask = (message: ToHost, answer: string) => askHostProcess(paths().hostSocket(), message, answer);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-keys-"));
  mkdirSync(paths().sessions);
  pressed = [];
  refused = [];
  checkKeys = (client, own) => checkKeyClient(client, paths(), own);
});
afterEach(async () => {
  await viewers.close({ code: 0, signal: null });
  rmSync(folder, { recursive: true, force: true });
});

describe("keys at the socket of a host", () => {
  it("are pressed for a client outside of all agents, in their order", async () => {
    await host(record("web", other));
    expect(await ask({ op: "type", text: "1" }, "typed")).toMatchObject({ kind: "answer" });
    const client = createConnection(paths().hostSocket());
    client.write(frameLine({ op: "attach", cols: 80, rows: 24 }));
    for (const key of ["a", "b", "c"])
      client.write(frameLine({ op: "input", data: Buffer.from(key).toString("base64") }));
    await until("the keys", () => pressed.length === 4);
    expect(pressed).toEqual(["1", "a", "b", "c"]);
    client.destroy();
  });

  it.skipIf(!hasSs).each([
    ["of the host's own agent", true],
    ["of another agent", false],
  ])("are refused to a process %s", async (_, isOwn) => {
    if (!isOwn) writeRecord(paths(), record("evil", me));
    await host(record("web", isOwn ? me : other));
    const by = isOwn ? "web" : "evil";
    expect(await ask({ op: "type", text: "1" }, "typed")).toEqual({
      kind: "error",
      reason: `refused inside of the watched agent ${by}; run the command in another terminal`,
    });
    expect(pressed).toEqual([]);
    expect(refused).toEqual([["type", "1", by]]);
  });

  it("are pressed before the next request of the client is answered", async () => {
    await host(record("web", other));
    const answered = new Promise<string[]>((resolve) => {
      const client = createConnection(paths().hostSocket());
      client.write(frameLine({ op: "attach", cols: 80, rows: 24 }));
      client.write(frameLine({ op: "input", data: Buffer.from("a").toString("base64") }));
      client.write(frameLine({ op: "info" }));
      client.on("data", (chunk) => {
        if (!chunk.toString().includes('"ev":"info"')) return;
        client.destroy();
        resolve([...pressed]);
      });
    });
    expect(await answered).toEqual(["a"]);
  });

  it("are pressed again once a client that could not be found is found", async () => {
    const found: (RefusedKeys | null)[] = [{ by: null, reason: "unknown" }, null];
    checkKeys = async () => found.shift() ?? null;
    await host(record("web", other));
    const client = createConnection(paths().hostSocket());
    client.write(frameLine({ op: "type", text: "1" }));
    await until("the refusal", () => refused.length === 1);
    client.write(frameLine({ op: "type", text: "2" }));
    await until("the keys", () => pressed.length === 1);
    expect(pressed).toEqual(["2"]);
    client.destroy();
  });

  it("that are pressed after a check of the screen need no check of the client: they never answer a dialog", async () => {
    await host(record("web", me));
    const precondition = { draft: "", turn: "idle", quietMs: 0, composerDigest: "" } as const;
    expect(await ask({ op: "press", keys: { kind: "submit" }, precondition }, "pressed")).toMatchObject({
      kind: "answer",
    });
  });
});
