import { once } from "node:events";
import { get } from "node:http";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadline } from "./deadline.js";

/** Answers at once, in a thread of its own, or never. */
const SERVER = `
const { parentPort } = require("node:worker_threads");
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/answers") response.end("ok");
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

let worker: Worker;
let port: number;

beforeAll(async () => {
  worker = new Worker(SERVER, { eval: true });
  [port] = (await once(worker, "message")) as [number];
});

afterAll(() => worker.terminate());

/** The process is blocked for this time as soon as the request is sent. */
function asked(path: string, signal: AbortSignal, blockedMs: number): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on("finish", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs));
  });
}

describe("the deadline of a channel", () => {
  it("does not count the time in which the process could not read the answer", async () => {
    expect(await asked("/answers", AbortSignal.timeout(200), 600), "a plain timer").toBe("ABORT_ERR");
    expect(await asked("/answers", deadline(200), 600)).toBe(200);
  });

  it("ends the wait for a receiver that never answers", async () => {
    expect(await asked("/silent", deadline(100), 0)).toBe("ABORT_ERR");
  });
});
