/** `rouse mcp`: the Model Context Protocol over standard input and output, for the client that starts it. */
import type { Command } from "@commander-js/extra-typings";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ApiError } from "../../api/error.js";
import { type CallOperation, makeMcpServer } from "../../api/mcp/server.js";
import { callOperation } from "../../api/remote.js";
import { rousePaths } from "../../config/paths.js";
import { DaemonUnreachable } from "../../daemon/client.js";
import { RIGHTS, type Right } from "../../daemon/http/tokens.js";
import { isMarkedStopped } from "../../daemon/self/stay-down.js";
import { BadInput } from "../../replay/bad-input.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { loadSettings } from "../settings.js";
import { readVersion } from "../version.js";

export function addMcp(program: Command, _setExit: (code: number) => void): void {
  program
    .command("mcp")
    .summary("Serve the Model Context Protocol over stdio")
    .description(
      "Serve MCP to the client that starts it: an orchestrator, or an agent that reports its own state. The configuration\n" +
        "sets its rights (mcp.rights: read, report, report_any, control). The daemon serves the same tools over HTTP at /mcp.",
    )
    .action(async () => {
      const rights = rightsOf(loadSettings().mcp.rights);
      if (process.stdin.isTTY)
        process.stderr.write(
          "rouse: MCP clients start this command, for example: `claude mcp add rouse -- rouse mcp`. Press Ctrl-C to quit.\n",
        );
      // The client waits for its server, so the daemon starts in the background.
      void start();
      const own = { session: process.env.ROUSE_SESSION || undefined, cwd: process.cwd() };
      const ask = askerOf(rights, own.session);
      const done = new Promise<void>((resolve) => process.stdin.once("close", () => resolve()));
      serveStdio(() => makeMcpServer({ version: readVersion(), ask, own }));
      await done;
    });
}

function rightsOf(words: readonly string[]): ReadonlySet<Right> {
  const wrong = words.find((word) => !(RIGHTS as readonly string[]).includes(word));
  if (wrong !== undefined)
    throw new BadInput(`mcp.rights contains ${JSON.stringify(wrong)}; the rights are ${RIGHTS.join(", ")}`);
  return new Set(words as Right[]);
}

async function start(): Promise<void> {
  if (process.env.ROUSE_DAEMON === "off" || isMarkedStopped(rousePaths())) return;
  await ensureDaemon().catch(() => {
    // The next request reports that no daemon is running.
  });
}

function askerOf(rights: ReadonlySet<Right>, session: string | undefined): CallOperation {
  const headers = {
    "x-rouse-client": encodeURIComponent(`mcp ${process.ppid}`),
    "x-rouse-origin": "mcp",
    "x-rouse-rights": [...rights].join(","),
    ...(session === undefined ? {} : { "x-rouse-session": session }),
  };
  return async (operation, input) => {
    try {
      return await callOperation(rousePaths().daemonSocket, operation, input as never, { headers });
    } catch (error) {
      if (!(error instanceof DaemonUnreachable)) throw error;
      throw new ApiError("refused", `${error.message}: the user starts it with \`rouse up\``);
    }
  };
}
