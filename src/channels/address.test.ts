import dns from "node:dns";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { notice } from "../../test/support/receivers.js";
import { checkAddress, guardedLookup } from "./address.js";
import { slackChannel } from "./slack.js";
import { webhookChannel } from "./webhook.js";

/** Addresses of this machine, its network and its cloud metadata. */
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

/** The same address in every form that a URL parser accepts. */
const FORMS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0X7F000001",
  "0x7f.1",
  "0x7f.0x0.0x0.0x1",
  "0177.0.0.1",
  "0177.0.0.01",
  "017700000001",
  "00000000177.0.0.1",
  "127.0.0.1.",
  "127\u30020\u30020\u30021",
  "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
  "①②⑦.⓪.⓪.①",
  "127%2e0%2e0%2e1",
  "%31%32%37.0.0.1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "localhost",
  "LOCALHOST",
  "loc%61lhost",
  "localhost.",
  "user@127.0.0.1",
  "evil.example@127.0.0.1",
  "user:pass@localhost",
  "evil.example%20@127.0.0.1",
  "169.254.169.254",
  "169.254.43518",
  "169.16689662",
  "2852039166",
  "0xa9fea9fe",
  "0xA9.0xFE.0xA9.0xFE",
  "0251.0376.0251.0376",
  "0251.254.0xa9.254",
  "169.254.169.254.",
  "[::ffff:169.254.169.254]",
  "[::ffff:a9fe:a9fe]",
  "[::a9fe:a9fe]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "[fd00:ec2::254]",
  "[fd00:0ec2:0:0:0:0:0:0254]",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "0",
  "0.0.0.0",
  "0x0",
  "0.0",
  "[::]",
  "10.0.0.1",
  "167772161",
  "0xa.0.0.1",
  "172.16.0.1",
  "172.1048577",
  "192.168.1.1",
  "3232235777",
  "100.64.0.1",
  "198.18.0.1",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[fe80::1]",
  "[ff02::1]",
  "224.0.0.1",
  "255.255.255.255",
];

describe("an address", () => {
  it.each(NEVER)("%s is never allowed", (address) => {
    expect(checkAddress(address, true)).not.toBeNull();
    expect(checkAddress(address, false)).not.toBeNull();
  });

  it.each(PRIVATE)("%s is allowed only if the user permits private networks", (address) => {
    expect(checkAddress(address, false)).toContain("allow_private");
    expect(checkAddress(address, true)).toBeNull();
  });

  it.each(PUBLIC)("%s is allowed", (address) => {
    expect(checkAddress(address, false)).toBeNull();
  });

  it(`in any of ${FORMS.length} spellings of a URL is recognized and refused`, async () => {
    const { port, connections, close } = await countingServer();
    for (const form of FORMS) {
      const url = new URL(`https://${form}:${port}/`);
      for (const channel of [
        webhookChannel("x", { url, allowPrivate: false, to: "x" }, null),
        slackChannel("x", { url: new URL(`http://${form}:${port}/`), allowPrivate: false, to: "x" }),
      ]) {
        const sent = await channel.send(notice(), AbortSignal.timeout(20_000));
        // A name may resolve differently later, an address never does.
        const isName = /localhost|^loc%61lhost/i.test(form);
        const reason = isName ? /allow_private|cannot be reached/ : /allow_private|never allowed/;
        expect({ form, sent }).toEqual({
          form,
          sent: { result: isName ? "retry" : "refused", reason: expect.stringMatching(reason) },
        });
      }
    }
    expect(connections()).toBe(0);
    await close();
  });

  it("is checked when it is used: a name that changes its address 1,000 times never reaches a forbidden one", async () => {
    const { port, connections, close } = await countingServer();
    const target = { url: new URL(`http://evil.example:${port}/`), to: "x" };
    const real = dns.lookup;
    let asked = 0;
    const answers = ["127.0.0.1", "169.254.169.254", "127.0.0.1", "0.0.0.0", "127.0.0.1", "::ffff:169.254.169.254"];
    dns.lookup = ((_name: string, _options: object, done: (error: null, found: object[]) => void) => {
      const address = answers[asked++ % answers.length] as string;
      done(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
    }) as never;
    syncBuiltinESMExports();
    try {
      const results = new Map<string, number>();
      for (let n = 0; n < 1000; n++) {
        // The user permits this machine; addresses that are never permitted stay refused.
        const { result } = await webhookChannel("x", { ...target, allowPrivate: true }, null).send(
          notice(),
          NEVER_ENDS,
        );
        results.set(result, (results.get(result) ?? 0) + 1);
      }
      expect(results).toEqual(
        new Map([
          ["sent", 500],
          ["retry", 500],
        ]),
      );
      expect(asked).toBe(1000);
      expect(connections()).toBe(500);
      for (let n = 0; n < 1000; n++)
        expect(
          await webhookChannel("x", { ...target, allowPrivate: false }, null).send(notice(), NEVER_ENDS),
        ).toMatchObject({
          result: "retry",
          reason: expect.stringMatching(/allow_private|never allowed/),
        });
      expect(connections()).toBe(500);
    } finally {
      dns.lookup = real;
      syncBuiltinESMExports();
    }
    await close();
  });

  it("is refused if any address of the name is forbidden", () => {
    const both = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [
        { address: "192.0.2.1", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ])) as never;
    const said: unknown[] = [];
    guardedLookup(false, both)("evil.example", { all: true }, (error, found) => said.push(error?.message, found));
    expect(said).toEqual([expect.stringContaining("allow_private"), []]);
  });
});

const NEVER_ENDS = new AbortController().signal;

async function countingServer(): Promise<{ port: number; connections: () => number; close: () => Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  }).on("connection", () => count++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => count, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
