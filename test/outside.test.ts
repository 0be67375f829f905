/** A guard in every process keeps tests from contacting other machines; this file tests the guard. */
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder: string;
const log = process.env.ROUSE_TEST_OUTSIDE;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-guard-"));
  // Intended attempts are recorded in a separate file.
  process.env.ROUSE_TEST_OUTSIDE = join(folder, "asked");
});
afterEach(() => {
  process.env.ROUSE_TEST_OUTSIDE = log;
  rmSync(folder, { recursive: true, force: true });
});
const asked = (): string[] => readFileSync(join(folder, "asked"), "utf8").trim().split("\n");

describe("a process started by a test", () => {
  it("cannot connect to another machine, by address or by name", async () => {
    const codes = await Promise.all(
      [
        () => connect(9, "192.0.2.1"),
        () => connect({ port: 9, host: "2001:db8::1" }),
        () => connect(9, "rouse.invalid"),
        () => request({ host: "192.0.2.1", port: 9 }).end(),
        () =>
          request({
            host: "rouse.invalid",
            port: 9,
            lookup: (_name, _options, done) => done(null, [{ address: "192.0.2.1", family: 4 }]),
          }).end(),
      ].map((open) => new Promise((resolve) => open().on("error", ({ code }: NodeJS.ErrnoException) => resolve(code)))),
    );
    expect(codes).toEqual(codes.map(() => "EOUTSIDE"));
    expect(asked()).toHaveLength(codes.length);
  });

  it("sends no DNS query and no packet", async () => {
    const code = await new Promise((resolve) =>
      lookup("rouse.invalid", (error) => resolve((error as NodeJS.ErrnoException).code)),
    );
    expect(code).toBe("EOUTSIDE");
    const socket = createSocket("udp4");
    expect(() => socket.send("x", 9, "192.0.2.1")).toThrow("a packet to 192.0.2.1");
    socket.close();
    expect(asked()).toHaveLength(2);
  });

  it("has the guard even if another process started it", async () => {
    const script = "fetch('http://192.0.2.1:8080/').catch((error) => console.log(error.cause.code))";
    const said = await new Promise((resolve) =>
      execFile(process.execPath, ["-e", script], (_error, stdout) => resolve(stdout.trim())),
    );
    expect(said).toBe("EOUTSIDE");
    expect(asked()).toHaveLength(1);
  });
});
