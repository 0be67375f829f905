import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hooks } from "../intake/hooks.js";
import type { Telemetry } from "../intake/telemetry.js";
import { isSameKey, makeKey, readKey } from "./key.js";
import { HttpServer } from "./server.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-face-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the key", () => {
  it("is created once, readable by this user only", () => {
    const path = join(folder, "key");
    const key = makeKey(path);
    expect(makeKey(path)).toBe(key);
    chmodSync(path, 0o644);
    expect(readKey(path)).toBe(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is not read through a link, and not from a file without a valid key", () => {
    const path = join(folder, "key");
    makeKey(path);
    symlinkSync(path, join(folder, "link"));
    expect(readKey(join(folder, "link"))).toBeNull();
    writeFileSync(join(folder, "other"), "1234\n");
    expect(() => makeKey(join(folder, "other"))).toThrow("is not a key");
  });

  it("is created again if a full disk left an empty file", () => {
    const path = join(folder, "key");
    writeFileSync(path, "");
    expect(makeKey(path)).toBe(readKey(path));
  });

  it("is compared in full, regardless of its length", () => {
    expect(isSameKey("abc", "abc")).toBe(true);
    for (const wrong of ["", "ab", "abd", "abcd", "é".repeat(1000)]) expect(isSameKey(wrong, "abc")).toBe(false);
  });
});

describe("the port", () => {
  const noHooks = { take: () => null } as unknown as Hooks;
  const telemetry = { take: () => {}, view: () => ({}), stop: () => {} } as unknown as Telemetry;

  async function openFace(): Promise<{ face: HttpServer; port: number; key: string }> {
    const keyFile = join(folder, "key");
    // Below the system's own range; if another program uses it, the next one is tried.
    for (let tries = 0; tries < 20; tries++) {
      const port = 20_000 + Math.floor(Math.random() * 10_000);
      const face = new HttpServer({
        port,
        keyFile,
        tokensFile: join(folder, "tokens"),
        hooks: noHooks,
        telemetry,
        requestMs: 300,
      });
      await face.start();
      if (face.view().listening) return { face, port, key: makeKey(keyFile) };
      face.stop();
    }
    throw new Error("no port is free");
  }

  async function ask(port: number, key: string): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/hooks/claude-code`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: "{}",
    });
    return answer.status;
  }

  it("aborts a body that does not arrive in time, and keeps serving", async () => {
    const { face, port, key } = await openFace();
    try {
      const head = [
        "POST /v1/hooks/claude-code HTTP/1.1",
        `host: 127.0.0.1:${port}`,
        `authorization: Bearer ${key}`,
        "content-type: application/json",
        "content-length: 100",
      ];
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => {
          let text = "";
          const client = connect(port, "127.0.0.1", () => client.write(`${head.join("\r\n")}\r\n\r\n{`));
          client.on("data", (bytes) => {
            text += bytes.toString();
          });
          client.on("error", () => {});
          return new Promise<string>((resolve) => client.on("close", () => resolve(text)));
        }),
      );
      for (const answer of answers) expect(answer).not.toMatch(/^HTTP\/1\.1 200/);
      expect(await ask(port, key)).toBe(200);
    } finally {
      face.stop();
    }
  });

  it("limits the number of connections, and answers again when they are closed", async () => {
    const { face, port, key } = await openFace();
    const idle = Array.from({ length: 400 }, () => connect(port, "127.0.0.1").on("error", () => {}));
    try {
      await Promise.all(idle.map((client) => new Promise((resolve) => client.on("close", resolve).resume())));
      expect(await ask(port, key)).toBe(200);
    } finally {
      for (const client of idle) client.destroy();
      face.stop();
    }
  });

  it("stays closed if the configuration turns it off", async () => {
    const face = new HttpServer({
      port: 0,
      keyFile: join(folder, "key"),
      tokensFile: join(folder, "tokens"),
      hooks: noHooks,
      telemetry,
    });
    await face.start();
    expect(face.view()).toMatchObject({ port: 0, listening: false, error: null });
    expect(readKey(join(folder, "key"))).toBeNull();
  });
});
