import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { notice } from "../../test/support/receivers.js";
import { complaintOfAddress, guardedLookup } from "./address.js";
import { webhook } from "./webhook.js";

/** Where the same machine, its network and its cloud are to be found. */
const NEVER = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "0.0.0.0",
  "0.1.2.3",
  "224.0.0.1",
  "255.255.255.255",
  "240.0.0.1",
  "::",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "fd00:ec2::254",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::",
  "[::ffff:169.254.169.254]",
];
const PRIVATE = [
  "127.0.0.1",
  "127.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "100.64.0.1",
  "198.18.0.1",
  "::1",
  "fc00::1",
  "fd12:3456::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "2002:7f00:1::",
  "[::1]",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.0.1",
  "100.63.0.1",
  "100.128.0.1",
  "2606:4700::1111",
];

describe("an address", () => {
  it.each(NEVER)("%s is never connected to", (address) => {
    expect(complaintOfAddress(address, true)).not.toBeNull();
    expect(complaintOfAddress(address, false)).not.toBeNull();
  });

  it.each(PRIVATE)("%s is connected to only where the user permits it", (address) => {
    expect(complaintOfAddress(address, false)).toContain("allow_private");
    expect(complaintOfAddress(address, true)).toBeNull();
  });

  it.each(PUBLIC)("%s may be connected to", (address) => {
    expect(complaintOfAddress(address, false)).toBeNull();
  });

  it("in any spelling that a URL may have is found out", async () => {
    const forms = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "0177.0.0.1",
      "017700000001",
      "127.0.0.1.",
      "①②⑦.⓪.⓪.①",
      "[::1]",
      "[0:0:0:0:0:0:0:1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "169.254.169.254",
      "2852039166",
      "0xa9fea9fe",
      "0251.0376.0251.0376",
      "[::ffff:169.254.169.254]",
      "[fd00:ec2::254]",
      "localhost",
      "LOCALHOST",
      "user@127.0.0.1",
      "evil.example@127.0.0.1",
      "0",
      "0.0.0.0",
      "[::]",
    ];
    for (const form of forms) {
      const url = new URL(`https://${form}/`);
      const channel = webhook("x", { url, allowPrivate: false, to: "x" }, null);
      const sent = await channel.send(notice(), AbortSignal.timeout(20_000));
      expect({ form, sent }).toEqual({
        form,
        sent: {
          // A name may lead elsewhere tomorrow, an address never does.
          result: /localhost/i.test(form) ? "retry" : "refused",
          reason: expect.stringMatching(/allow_private|never connected to/),
        },
      });
    }
  });

  it("is judged as it is when it is used: a name that changes its mind reaches nothing", async () => {
    let connections = 0;
    const server = createServer(() => {}).on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    let asked = 0;
    // The first answer is harmless; every second one leads to this machine.
    const flipping = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: asked++ % 2 === 0 ? "192.0.2.1" : "127.0.0.1", family: 4 }])) as never;
    const lookup = guardedLookup(false, flipping);
    let refusals = 0;
    for (let n = 0; n < 1000; n++)
      lookup("evil.example", { all: true }, (error, found) => {
        if (error) refusals++;
        else expect(JSON.stringify(found)).not.toContain("127.0.0.1");
      });
    expect(refusals).toBe(500);
    const { port } = server.address() as AddressInfo;
    const target = { url: new URL(`http://localhost:${port}/`), allowPrivate: false, to: "x" };
    expect(await webhook("x", target, null).send(notice(), AbortSignal.timeout(20_000))).toMatchObject({
      result: "retry",
      reason: expect.stringContaining("allow_private"),
    });
    expect(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});
