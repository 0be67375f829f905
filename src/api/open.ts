/** Opens the API on a running daemon: the port's routes, MCP over HTTP, and the socket. */
import { join } from "node:path";
import { ownRights } from "../config/own-rights.js";
import type { AgentSession } from "../core/agent.js";
import { type Client, RIGHTS, type Right, Tokens } from "../daemon/http/tokens.js";
import type { ApiHandlers, DaemonParts } from "../daemon/parts.js";
import { AgentControl } from "./agent-control.js";
import { checkControl } from "./check-control.js";
import { Events } from "./events.js";
import { feedEvents } from "./feed.js";
import { carryOutCommand } from "./fleet-commands.js";
import { type ApiOptions, answerPort, makeApi } from "./http.js";
import type { Metrics } from "./metrics.js";
import { performOperation } from "./operations/index.js";
import { OrderLog } from "./order-log.js";
import { insideObjection } from "./service/access.js";
import { openServices, type Services } from "./service/services.js";
import { endSilentAgents } from "./service/unseen-agents.js";
import { addSocketRoutes } from "./socket.js";
import { SpoolReader } from "./spool-reader.js";
import { ScreenKeeper } from "./terminals/screen-keeper.js";
import { openTerminalFeed } from "./terminals/terminal-feed.js";
import { type TimerRecord, Watchdogs } from "./watchdogs.js";

export function openApi(parts: DaemonParts): ApiHandlers {
  const { loop, paths, version } = parts;
  const events = new Events();
  const orders = new OrderLog(parts.journal.audit, parts.auditedFiles, () => loop.now());
  const agentControl = new AgentControl(parts, events, orders);
  const tokens = new Tokens(paths.tokens);
  const watchdogs = new Watchdogs(
    join(paths.state, "watchdogs.json"),
    loop,
    agentControl,
    {
      holds: (token) => tokens.holds(token, "control"),
      objection: (session, startedBy) =>
        checkControl(session, parts.permission.grants, loop.now()) ?? timerObjection(loop, session, startedBy),
    },
    (inbox) => parts.journal.messages.newestWaiting(inbox),
    parts.woken,
  );
  const screens = new ScreenKeeper(parts);
  const terminals = openTerminalFeed(parts);
  const services = openServices({ ...parts, screens, agentControl, orders, watchdogs });
  parts.fleet?.handle((command) =>
    carryOutCommand(services, command, {
      node: parts.fleet?.node.node ?? "",
      acceptedFrom: parts.config.fleet.accept_commands_from,
    }),
  );
  const source = { ...parts, events, agentControl };
  let metrics: Promise<Metrics> | null = null;
  const figures = async (): Promise<{ text: string; type: string }> => {
    metrics ??= import("./metrics.js").then((module) => new module.Metrics(source));
    return (await metrics).read();
  };
  const stopFeed = feedEvents(events, parts);
  const spoolReader = new SpoolReader(parts, services, parts.log);
  const stopReading = loop.subscribe(({ kind }) => {
    if (kind === "tick") spoolReader.read().catch((error: Error) => parts.log(`stored reports: ${error.message}`));
  });
  const stopEnding = loop.subscribe(({ kind }, now) => {
    if (kind === "tick") endSilentAgents(loop, now);
  });
  const stopDiagnosing = loop.subscribe((event) => {
    if (event.kind === "tick") void services.diagnosis.tick();
    if (event.kind === "incidents") services.diagnosis.follow(event.changes);
  });
  const options: ApiOptions = {
    services,
    events,
    terminals: terminals.feed,
    tokens,
    metrics: figures,
    version,
    mcp: mcpOver(services, version),
  };
  return {
    more: answerPort(makeApi(options, false)),
    addTo: (app) => addSocketRoutes(app, makeApi(options, true), services, paths.daemonSocket),
    stop: () => {
      stopFeed();
      stopReading();
      stopEnding();
      screens.close();
      terminals.close();
      stopDiagnosing();
      services.diagnosis.close();
      watchdogs.close();
      events.close();
    },
  };
}

/** An agent may have lost the right to type since it started the timer, or may have ended. */
function timerObjection(
  loop: DaemonParts["loop"],
  session: AgentSession,
  { by, token }: Pick<TimerRecord, "by" | "token">,
): string | null {
  if (by === null) return null;
  const inside = loop.find(by);
  if (inside?.session.endedAt !== null) return "the agent that started the timer has ended";
  const own = ownRights();
  const rights = new Set<Right>(RIGHTS.filter((right) => token !== null || own.rights.includes(right)));
  return insideObjection("itself or workers", { inside, outer: [], rights }, session, own);
}

/** `createMcpHandler` needs a new server per request. Loaded with the first request. */
function mcpOver(services: Services, version: string): (request: Request, client: Client) => Promise<Response> {
  return async (request, client) => {
    const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./mcp/server.js"),
    ]);
    const { fetch } = createMcpHandler(() =>
      makeMcpServer({
        version,
        ask: (operation, input) => performOperation(services, operation, input, { ...client, origin: "mcp" }),
      }),
    );
    return fetch(request);
  };
}
