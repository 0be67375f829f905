import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../test/support/hosts.js";
import { TestLoop } from "../../../test/support/loops.js";
import { deadManPulse } from "./dead-man.js";
import { Pulse } from "./pulse.js";
import { servicePulse } from "./service-manager.js";

const NOW = Date.parse("2026-03-02T09:00:00Z");

describe("a heartbeat", () => {
  it("is sent at the end of finished rounds, at most at its interval, and not while the loop is blocked", async () => {
    const test = new TestLoop();
    let sent = 0;
    const pulse = new Pulse({
      to: "x",
      everyMs: 30_000,
      send: async () => {
        sent++;
      },
    });
    test.loop.subscribe(({ kind }, now) => {
      if (kind === "tick") pulse.ticked(now);
    });
    // One second of the loop, then any pending notification.
    const run = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        test.run(1);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await run(1);
    expect(sent).toBe(1);
    await run(90);
    expect(sent).toBe(4);
    // An hour without a finished round.
    test.hand.pass(3_600_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBe(4);
    await run(1);
    expect(sent).toBe(5);
    test.close();
  });

  it("is sent one at a time, and a failure is kept until one succeeds", async () => {
    const ends: ((error?: Error) => void)[] = [];
    const send = () =>
      new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    const pulse = new Pulse({ to: "x", everyMs: 1000, send });
    for (let n = 0; n < 20; n++) pulse.ticked(NOW + n * 1000);
    expect(ends).toHaveLength(1);
    ends[0]?.(new Error("no \u001b[31mway"));
    await until("the failure", () => pulse.view().failures === 1);
    expect(pulse.view()).toMatchObject({ last_ok: null, error: "no [31mway" });
    pulse.ticked(NOW + 21_000);
    ends[1]?.();
    await until("the success", () => pulse.view().error === null);
    expect(pulse.view()).toMatchObject({ last_ok: "2026-03-02T09:00:21.000Z", failures: 0 });
    pulse.stop();
    pulse.ticked(NOW + 99_000);
    expect(ends).toHaveLength(2);
  });
});

describe("the dead man's switch", () => {
  let server: Server;
  let asked: string[];
  let answer: number | null;
  let port: number;

  beforeEach(async () => {
    asked = [];
    answer = 200;
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (answer !== null) response.writeHead(answer, { location: "http://elsewhere/" }).end("ok");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const pulseTo = (address: string, limitMs?: number) => deadManPulse(address, 60_000, limitMs) as Pulse;
  const problem = async (pulse: Pulse): Promise<string | null> => {
    pulse.ticked(NOW);
    await until("the end of an attempt", () => pulse.view().failures > 0 || pulse.view().last_ok !== null);
    return pulse.view().error;
  };

  it("is requested, and only its host is shown", async () => {
    const pulse = pulseTo(`http://127.0.0.1:${port}/ping/secret-token?x=1`);
    expect(await problem(pulse)).toBeNull();
    expect(asked).toEqual(["GET /ping/secret-token?x=1"]);
    expect(JSON.stringify(pulse.view())).not.toContain("secret");
  });

  it.each([
    [500, "answered 500"],
    [404, "answered 404"],
    [302, "redirects (302): use the new address"],
  ])("fails on the status %d, and follows no redirect", async (status, says) => {
    answer = status;
    expect(await problem(pulseTo(`http://127.0.0.1:${port}/secret`))).toBe(`127.0.0.1:${port} ${says}`);
    expect(asked).toHaveLength(1);
  });

  it("times out if the host does not answer", async () => {
    answer = null;
    const error = await problem(pulseTo(`http://127.0.0.1:${port}/secret`, 100));
    expect(error).toBe(`127.0.0.1:${port} cannot be reached: no answer within 0.1 s`);
  });

  it("fails if nothing listens, without showing the path", async () => {
    await new Promise((resolve) => server.close(resolve));
    const error = await problem(pulseTo(`http://127.0.0.1:${port}/secret`));
    expect(error).toBe(`127.0.0.1:${port} cannot be reached: ECONNREFUSED`);
  });

  it.each(["ftp://host/x", "not an address", "file:///etc/passwd"])("rejects %j as an address", async (address) => {
    expect(await problem(pulseTo(address))).toMatch(/^daemon\.dead_man_url must be an address/);
  });

  it("is off without an address", () => {
    expect(deadManPulse("", 60_000)).toBeNull();
  });
});

describe("notifications to the service manager", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rouse-notify-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const log = () => join(folder, "log");
  const words = (): string[] => (existsSync(log()) ? readFileSync(log(), "utf8").trim().split("\n") : []);
  const env = (more: Record<string, string> = {}): Record<string, string | undefined> => ({
    PATH: folder,
    NOTIFY_SOCKET: join(folder, "sock"),
    WATCHDOG_USEC: "60000000",
    ...more,
  });
  const fake = (body: string): void => {
    const path = join(folder, "systemd-notify");
    writeFileSync(path, `#!${process.execPath}\n${body}\n`);
    chmodSync(path, 0o755);
  };
  const honest = `require("fs").appendFileSync(${JSON.stringify("LOG")}, process.env.NOTIFY_SOCKET.slice(-4) + " " + process.argv.slice(2).join(" ") + "\\n")`;

  it("report ready once, then liveness at half the watchdog interval, and the stop", async () => {
    fake(honest.replace("LOG", log()));
    const given = env();
    const pulse = servicePulse(given) as Pulse;
    // A child of the daemon must not notify on its behalf.
    expect(given).toEqual({ PATH: folder });
    const settled = (n: number) => until("a sign", () => words().length === n);
    pulse.ticked(NOW);
    await settled(1);
    await until("its end", () => pulse.view().last_ok !== null);
    pulse.ticked(NOW + 29_000);
    pulse.ticked(NOW + 30_000);
    await settled(2);
    await until("its end", () => pulse.view().last_ok === new Date(NOW + 30_000).toISOString());
    pulse.stop();
    await settled(3);
    expect(words()).toEqual(["sock READY=1 WATCHDOG=1", "sock WATCHDOG=1", "sock STOPPING=1"]);
  });

  it("are not sent without a service manager, nor for a watchdog of another process", () => {
    expect(servicePulse({ PATH: folder })).toBeNull();
    expect(servicePulse(env({ WATCHDOG_PID: "1" }), 7)?.view().every_secs).toBe(3600);
    expect(servicePulse(env({ WATCHDOG_PID: "7" }), 7)?.view().every_secs).toBe(30);
  });

  it("fail with a reason if systemd-notify fails or is missing", async () => {
    const pulse = servicePulse(env()) as Pulse;
    pulse.ticked(NOW);
    await until("a failure", () => pulse.view().failures === 1);
    expect(pulse.view().error).toMatch(/^systemd-notify failed: .*ENOENT/);
    fake('process.stderr.write("No status data\\n"); process.exit(1)');
    pulse.ticked(NOW + 60_000);
    await until("another", () => pulse.view().failures === 2);
    expect(pulse.view().error).toBe("systemd-notify failed: No status data");
  });
});
