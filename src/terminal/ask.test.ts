/**
 * Requests to a host that is about to close: the client learns whether the action was carried out. A second thread
 * fixes the order of events while this one is blocked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/support/hosts.js";
import { askHostProcess } from "./ask.js";
import { frameLine, type ToHost } from "./frames.js";
import { Ring } from "./ring.js";
import { type ViewedHost, Viewers } from "./viewers.js";

const EXIT = { code: null, signal: 9 };
const PRECONDITION = { draft: "", turn: "idle", quietMs: 0, composerDigest: "" } as const;
const PRESS: ToHost = { op: "press", keys: { kind: "submit" }, precondition: PRECONDITION };
const ASKING = 5;

/** Five clients that send at once and report what they received until the end. */
const ASKERS = `
  const { path, text, count, flag } = require("node:worker_threads").workerData;
  let received = [];
  for (let i = 0; i < count; i++) {
    let all = "";
    const socket = require("node:net").createConnection(path);
    const ready = () => { Atomics.add(flag, 0, 1); Atomics.notify(flag, 0); };
    socket.on("connect", () => socket.write(text, ready));
    socket.on("data", (bytes) => { all += bytes; });
    socket.on("error", () => {});
    socket.on("close", () => {
      received.push(all);
      if (received.length === count) require("node:worker_threads").parentPort.postMessage(received);
    });
  }`;

/** A server that closes the first connection. */
const SHORT = `
  const { path, flag } = require("node:worker_threads").workerData;
  const advance = (step) => { Atomics.store(flag, 0, step); Atomics.notify(flag, 0); };
  const server = require("node:net").createServer((socket) => {
    socket.on("close", () => advance(2));
    socket.destroy();
    server.close();
  });
  server.listen(path, () => advance(1));`;

let folder: string;
let socket: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-ask-"));
  socket = join(folder, "host.sock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Aside {
  worker: Worker;
  /** Blocks until the other thread has reached this point. */
  waitFor: (step: number) => void;
}

function aside(code: string): Aside {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { path: socket, text: frameLine(PRESS), count: ASKING, flag };
  const worker = new Worker(code, { eval: true, workerData });
  const waitFor = (step: number): void => {
    for (let at = 0; at < step; at = Atomics.load(flag, 0))
      if (Atomics.wait(flag, 0, at, 20_000) === "timed-out") throw new Error("the other thread does not come");
  };
  return { worker, waitFor };
}

async function hosting(press: () => void): Promise<Viewers> {
  const host: ViewedHost = {
    ring: new Ring(1000),
    size: () => ({ cols: 80, rows: 24 }),
    input: () => {},
    viewed: () => {},
    type: async () => 0,
    notify: async () => 0,
    rows: () => null,
    check: () => ({ terminalState: null, reason: "it is gone" }),
    press: () => {
      press();
      return { bytes: 0, reason: "it is gone" };
    },
    checkKeys: async () => null,
    keysRefused: () => {},
    stop: async () => ({ isGone: true, isKilled: false, processes: 1, left: [] }),
    info: () => ({}),
  };
  const viewers = new Viewers(socket, host, (error) => {
    throw error;
  });
  await until(
    "the host to listen",
    async () => (await askHostProcess(socket, { op: "info" }, "info")).kind === "answer",
  );
  return viewers;
}

describe("a request to a host", () => {
  it("gets an answer or the exit if it was sent before the host closes, however many clients are connecting", async () => {
    let pressed = 0;
    const viewers = await hosting(() => pressed++);
    const { worker, waitFor } = aside(ASKERS);
    waitFor(ASKING);
    const received = new Promise<string[]>((resolve) => worker.once("message", resolve));
    await viewers.close(EXIT);
    const answers = (await received).map((text) => (JSON.parse(text.split("\n")[0] || "{}") as { ev?: string }).ev);
    expect(answers.filter((ev) => ev !== "pressed" && ev !== "exit")).toEqual([]);
    expect(answers.filter((ev) => ev === "pressed").length).toBe(pressed);
    await worker.terminate();
  });

  it("was not carried out if the exit comes instead of an answer", async () => {
    const server = createServer((one) => one.end(frameLine({ ev: "exit", ...EXIT }))).listen(socket);
    expect(await askHostProcess(socket, PRESS, "pressed")).toMatchObject({ kind: "ended" });
    server.close();
  });

  it("was not received if it could not be written", async () => {
    const { worker, waitFor } = aside(SHORT);
    waitFor(1);
    const asked = askHostProcess(socket, PRESS, "pressed");
    waitFor(2);
    expect(await asked).toMatchObject({ kind: "unreachable" });
    await worker.terminate();
  });

  it("is unreachable after the host ended", async () => {
    const viewers = await hosting(() => {});
    await viewers.close(EXIT);
    expect(await askHostProcess(socket, PRESS, "pressed")).toMatchObject({ kind: "unreachable" });
  });
});
