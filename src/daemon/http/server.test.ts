import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Hooks } from "../intake/hooks.js";
import type { Telemetry } from "../intake/telemetry.js";
import type { ApiHandler } from "./app.js";
import { TOKEN_MAX } from "./connections.js";
import { isSameKey, makeKey, readKey } from "./key.js";
import { HttpServer } from "./server.js";
import { createToken } from "./tokens.js";

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

  async function openFace(
    requestMs = 300,
    more?: ApiHandler,
  ): Promise<{ face: HttpServer; port: number; key: string }> {
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
        requestMs,
        ...(more ? { more } : {}),
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

  const HEAD = (port: number, key: string, path = "/v1/hooks/claude-code"): string =>
    [
      `POST ${path} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      "content-length: 2",
      "",
      "",
    ].join("\r\n");

  /** The first line of the answer; empty if the connection was closed without one. */
  const raw = (port: number, text: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = "";
      const client = connect(port, "127.0.0.1", () => client.write(text));
      client.on("data", (bytes) => {
        answer += bytes.toString();
        client.destroy();
      });
      client.on("error", () => {});
      client.on("close", () => resolve(answer.split("\r\n", 1)[0] ?? ""));
    });

  it("answers every valid request while a local program holds as many half-open ones as it can", async () => {
    const { face, port, key } = await openFace(60_000);
    const held = new Set<Socket>();
    let isOver = false;
    const hold = (): void => {
      if (isOver) return;
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nhost: x\r\n"));
      held.add(client);
      client.on("error", () => {});
      // Each connection that gives way is opened again, after a moment.
      client.on("close", () => {
        held.delete(client);
        setTimeout(hold, 20);
      });
    };
    try {
      for (let n = 0; n < 300; n++) hold();
      await vi.waitFor(() => expect(held.size).toBeGreaterThan(40), 5000);
      for (let n = 0; n < 15; n++) expect(await ask(port, key)).toBe(200);
    } finally {
      isOver = true;
      for (const client of held) client.destroy();
      face.stop();
    }
  });

  it("refuses more requests of one token than its budget, and still answers hooks and other tokens", async () => {
    const ended: (() => void)[] = [];
    const more = (): Promise<Response> =>
      new Promise((resolve) => ended.push(() => resolve(Response.json({ ok: true }))));
    const { face, port, key } = await openFace(60_000, more);
    const paths = join(folder, "tokens");
    const [greedy = "", other = ""] = ["greedy", "other"].map((name) => createToken(paths, name, ["read"], 0));
    const get = (token: string): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/v1/agents`, { headers: { authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      );
    try {
      const first = Array.from({ length: TOKEN_MAX }, () => get(greedy));
      await vi.waitFor(() => expect(ended).toHaveLength(TOKEN_MAX), 10_000);
      expect(await Promise.all(Array.from({ length: 100 }, () => get(greedy)))).toEqual(Array(100).fill(429));
      const theirs = get(other);
      await vi.waitFor(() => expect(ended).toHaveLength(TOKEN_MAX + 1), 10_000);
      expect(await ask(port, key)).toBe(200);
      for (const end of ended.splice(0)) end();
      expect(await Promise.all([...first, theirs])).toEqual(Array(TOKEN_MAX + 1).fill(200));
      const again = get(greedy);
      await vi.waitFor(() => expect(ended).toHaveLength(1), 10_000);
      ended[0]?.();
      expect(await again).toBe(200);
      expect(face.view().refused).toMatchObject({ busy: 100 });
    } finally {
      face.stop();
    }
  });

  it.each(["http://evil.com/v1/hooks/claude-code", "http://127.0.0.1/v1/hooks/claude-code", "HTTPS://evil.com/"])(
    "refuses a request that names a whole address: %s",
    async (target) => {
      const { face, port, key } = await openFace();
      try {
        expect(await raw(port, `${HEAD(port, key, target)}{}`)).toBe("HTTP/1.1 400 Bad Request");
        expect(await raw(port, `${HEAD(port, key)}{}`)).toBe("HTTP/1.1 200 OK");
        expect(face.view().refused).toEqual({ target: 1 });
      } finally {
        face.stop();
      }
    },
  );

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
