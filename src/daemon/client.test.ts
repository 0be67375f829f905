import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askDaemon } from "./client.js";

it("a client that asks again does not depend on a connection that the daemon may be closing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rouse-client-"));
  let connections = 0;
  const server = createServer((_, response) => response.end("{}")).on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(join(folder, "daemon.sock"), resolve));
  try {
    for (let n = 0; n < 3; n++) expect(await askDaemon(join(folder, "daemon.sock"), "GET", "/v1/health")).toEqual({});
    expect(connections).toBe(3);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
