/** Connections over two streams, as those of one ssh connection; the other side may send anything. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Relay } from "../../src/fleet/ssh/relay.js";
import { RELAY_BEGINS, serveRelay } from "../../src/fleet/ssh/relay-socket.js";

let folder: string;
let hub: Server;
const sockets: Socket[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rouse-relay-"));
  hub = createServer((socket) => socket.on("error", () => {}).pipe(socket));
  await new Promise<void>((resolve) => hub.listen(join(folder, "hub"), resolve));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  hub.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (): Socket => {
  const socket = connect(join(folder, "hub"));
  sockets.push(socket);
  return socket;
};

/** Both sides of a relay before a hub that sends everything back. */
async function relay(): Promise<{ file: string; end: () => void; there: Promise<string> }> {
  const [toHub, toThere] = [new PassThrough(), new PassThrough()];
  const file = join(folder, "run", "hub.sock");
  const there = serveRelay(file, toThere, toHub);
  const greeting = await new Promise<Buffer>((resolve) => toHub.once("data", resolve));
  expect(greeting.toString()).toBe(RELAY_BEGINS);
  const here = new Relay({ input: toHub, output: toThere, connect: open, closed: () => {} });
  const end = (): void => {
    here.close("test");
    toThere.end();
  };
  return { file, end, there };
}

async function echo(file: string, bytes: Buffer): Promise<Buffer> {
  const socket = connect(file);
  sockets.push(socket);
  socket.write(bytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= bytes.length) break;
  }
  return Buffer.concat(chunks);
}

describe("a relay", () => {
  it("carries several connections at once, whatever their size, and ends with its streams", async () => {
    const { file, end, there } = await relay();
    const sent = Array.from({ length: 5 }, (_, n) => Buffer.alloc(n * 700_001 + 1, n + 1));
    const back = await Promise.all(sent.map((bytes) => echo(file, bytes)));
    expect(back.map((bytes, n) => bytes.equals(sent[n] as Buffer))).toEqual([true, true, true, true, true]);
    end();
    expect(await there).toBe("the connection was lost");
    expect(existsSync(file)).toBe(false);
  });

  it("is replaced by a later one, which keeps its file", async () => {
    const first = await relay();
    const second = await relay();
    expect(await first.there).toBe("another relay serves this machine");
    expect(await echo(second.file, Buffer.from("select 1"))).toEqual(Buffer.from("select 1"));
    second.end();
    await second.there;
  });

  const frame = (kind: number, id: number, length: number): Buffer => {
    const header = Buffer.alloc(9);
    header.writeUInt8(kind, 0);
    header.writeUInt32BE(id, 1);
    header.writeUInt32BE(length, 5);
    return header;
  };
  it.each([
    ["a kind that does not exist", [frame(9, 1, 0)], true],
    ["a frame of 4 GB", [frame(1, 1, 0xffffffff)], true],
    ["a connection of that side, on the side that opens them", [frame(0, 1, 0)], false],
    ["the same connection twice", [frame(0, 1, 0), frame(0, 1, 0)], true],
  ])("ends if the other side sends %s", async (_what, frames, mayOpen) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const closed = new Promise<string>((resolve) => {
      new Relay({ input, output, connect: mayOpen ? open : null, closed: resolve });
    });
    input.write(Buffer.concat(frames));
    expect(await closed).toBe("the other side sent something else");
  });

  it("opens at most 32 connections, and ignores bytes for those that it does not have", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let opened = 0;
    const relayed = new Relay({
      input,
      output,
      connect: () => {
        opened++;
        return open();
      },
      closed: () => {},
    });
    input.write(
      Buffer.concat([frame(1, 77, 0), frame(2, 78, 0), ...Array.from({ length: 40 }, (_, n) => frame(0, n, 0))]),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toBe(32);
    relayed.close("test");
  });
});
