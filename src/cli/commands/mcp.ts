/** `rouse mcp`: the Model Context Protocol on standard input and output, for a client that starts it. */
import type { Command } from "@commander-js/extra-typings";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ApiError } from "../../api/error.js";
import { type Ask, makeMcpServer } from "../../api/mcp/server.js";
import { OPERATIONS } from "../../api/operations/index.js";
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
    .summary("the Model Context Protocol on standard input and output")
    .description(
      "Serves MCP to the client that starts it: an orchestrator, or an agent that reports its own state. What it may do\n" +
        "stands in the configuration (mcp.rights: read, report, control). Over HTTP the daemon serves the same under /mcp.",
    )
    .action(async () => {
      const rights = rightsOf(loadSettings().mcp.rights);
      if (process.stdin.isTTY)
        process.stderr.write(
          "rouse: this speaks MCP with the program that starts it, such as: claude mcp add rouse -- rouse mcp. Ctrl-C ends it\n",
        );
      // A client that waits for its server is not held up by a daemon that starts.
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
    throw new BadInput(`mcp.rights names ${JSON.stringify(wrong)}, and the rights are ${RIGHTS.join(", ")}`);
  return new Set(words as Right[]);
}

async function start(): Promise<void> {
  if (process.env.ROUSE_DAEMON === "off" || isMarkedStopped(rousePaths())) return;
  await ensureDaemon().catch(() => {
    // Whoever asks next is told that no daemon is running.
  });
}

function askerOf(rights: ReadonlySet<Right>, session: string | undefined): Ask {
  const headers = {
    "x-rouse-client": encodeURIComponent(`mcp ${process.ppid}`),
    "x-rouse-rights": [...rights].join(","),
    ...(session === undefined ? {} : { "x-rouse-session": session }),
  };
  return async (operation, input) => {
    const { right } = OPERATIONS[operation];
    if (!rights.has(right))
      throw new ApiError("right", `this needs the right ${right}, which mcp.rights does not give`);
    try {
      return await callOperation(rousePaths().daemonSocket, operation, input as never, { headers });
    } catch (error) {
      if (!(error instanceof DaemonUnreachable)) throw error;
      throw new ApiError("refused", `${error.message}: a person starts it with rouse up`);
    }
  };
}
