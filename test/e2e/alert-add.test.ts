import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;
let receiver: Server;
const received: string[] = [];
const config = (): string => readFileSync(join(home.path, "config", "config.toml"), "utf8");
const url = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

beforeAll(async () => {
  home = makeHome("on");
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => {
      body += String(piece);
    });
    request.on("end", () => {
      received.push(body);
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  receiver.close();
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("rouse alert add", () => {
  it("adds a channel to a running daemon, proves it with a test alert, and needs no restart", async () => {
    expect((await rouse(home, ["up"])).status).toBe(0);
    const added = await rouse(home, ["alert", "add", "webhook", url(), "--name", "ops", "--allow-private"]);
    expect(added).toMatchObject({ status: 0, stderr: "" });
    expect(added.stdout.replace(/\s+/g, " ")).toMatch(
      /^Added the channel ops to .*\. Sent a test alert; check that it has arrived\. $/,
    );
    expect(received.map((body) => (JSON.parse(body) as { type: string }).type)).toEqual(["test"]);
    expect((await rouse(home, ["alert", "channels"])).stdout).toMatch(/^ops +webhook/m);
  });

  it("leaves the configuration as it was if the test fails, and says what to do", async () => {
    const before = config();
    const failed = await rouse(home, [
      "alert",
      "add",
      "webhook",
      "http://127.0.0.1:1/",
      "--name",
      "dead",
      "--allow-private",
    ]);
    expect(failed).toMatchObject({ status: 1, stdout: "" });
    expect(failed.stderr).toMatch(
      /was not sent: .*cannot be reached.*nothing was added\. Check the address and the network, or .*--no-test/s,
    );
    expect(config()).toBe(before);
    const channels = async (): Promise<string> => (await rouse(home, ["alert", "channels"])).stdout;
    await until("the daemon to drop it", async () => !(await channels()).includes("dead"));
  });

  it("names what a terminal alert needs if none is attached", async () => {
    const { status, stderr } = await rouse(home, ["alert", "add", "terminal"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/no rouse terminal is attached; nothing was added\. Open one with `rouse run` or/),
    });
  });

  it("refuses a bad address, an unknown type, a missing destination and a missing token", async () => {
    const refusals = [
      [["slack", "notaurl"], 2, "url must begin with https://; usage: rouse alert add slack <URL>"],
      [["slack", "-"], 2, "the destination is empty; usage: rouse alert add slack <URL>"],
      [["ntfy", "a b"], 2, "topic: must have up to 64 letters, digits, - and _; usage: rouse alert add ntfy <topic"],
      [["webhook", "http://127.0.0.1:1/"], 2, "http:// is accepted only in a private network, with allow_private"],
      [["pigeon"], 2, 'unknown type "pigeon"; expected one of desktop'],
      [["ntfy"], 2, "ntfy needs a destination"],
      [["desktop", "here"], 2, "desktop takes no destination"],
      [["telegram", "12345"], 2, "telegram needs an access token: rouse alert add telegram <chat> --token TOKEN"],
    ] as const;
    for (const [args, status, text] of refusals)
      expect(await rouse(home, ["alert", "add", ...args])).toMatchObject({
        status,
        stderr: expect.stringContaining(text),
      });
  });
});
