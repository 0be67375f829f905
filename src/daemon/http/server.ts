/**
 * The daemon's port on 127.0.0.1; another address needs a second setting (`daemon.http_remote`). If the port is in use, the
 * daemon runs without it and retries: terminals, transcripts and the socket do not need it.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hooks } from "../intake/hooks.js";
import type { Telemetry, TelemetryView } from "../intake/telemetry.js";
import { type ApiHandler, HttpCounts, makeHttpApp } from "./app.js";
import { CONNECTIONS_MAX, Connections } from "./connections.js";
import { type Guard, WRONG_TARGET } from "./guard.js";
import { isSameKey, makeKey } from "./key.js";
import { openPage } from "./page.js";
import { type Client, Tokens } from "./tokens.js";
import type { WebLogins } from "./web-logins.js";

const ADDRESS = "127.0.0.1";
/** Addresses that no other machine can reach. */
const LOOPBACK: ReadonlySet<string> = new Set([ADDRESS, "::1"]);
const HOOKS: Client = { name: "hooks", rights: new Set(["hook"]) };
const AGAIN_MS = 30_000;

export interface HttpView {
  /** 0: off by configuration. */
  port: number;
  address: string;
  listening: boolean;
  /** Why the port is closed. */
  error: string | null;
  hooks: number;
  unmatched: number;
  refused: Record<string, number>;
  telemetry: TelemetryView;
}

export interface HttpServerOptions {
  port: number;
  address?: string;
  /** `daemon.http_remote`: an address that other machines can reach is permitted. */
  isRemoteAllowed?: boolean;
  /** Further accepted Host headers, with the port. */
  moreHosts?: readonly string[];
  /** Accepted Host headers for the reports of agents that rouse cannot see, and for nothing else. */
  publicHosts?: readonly string[];
  keyFile: string;
  tokensFile: string;
  hooks: Hooks;
  telemetry: Telemetry;
  /** Further routes: the API. */
  more?: ApiHandler;
  logins?: Pick<WebLogins, "redeem" | "end">;
  /** A request that is incomplete after this time is aborted. */
  requestMs?: number;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #counts = new HttpCounts();
  #server: Server | null = null;
  #again: NodeJS.Timeout | null = null;
  #error: string | null = null;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  /** Returns after the first attempt. */
  async start(): Promise<void> {
    if (this.#options.port === 0) return;
    await this.#listen();
    if (this.#server === null) this.#again = setInterval(() => void this.#listen(), AGAIN_MS);
  }

  stop(): void {
    if (this.#again) clearInterval(this.#again);
    this.#again = null;
    this.#options.telemetry.stop();
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = null;
  }

  view(): HttpView {
    const { port, address = ADDRESS, telemetry } = this.#options;
    return {
      port,
      address,
      listening: this.#server !== null,
      error: this.#error,
      hooks: this.#counts.hooks,
      unmatched: this.#counts.unmatched,
      refused: Object.fromEntries(this.#counts.refused),
      telemetry: telemetry.view(),
    };
  }

  #guard(): Guard {
    const { port, address = ADDRESS, moreHosts = [], publicHosts = [], keyFile, tokensFile } = this.#options;
    const key = makeKey(keyFile);
    const tokens = new Tokens(tokensFile);
    const own = address.includes(":") ? `[${address}]` : address;
    const further = moreHosts.filter((host) => !publicHosts.includes(host.toLowerCase()));
    return {
      hosts: [...new Set([`${own}:${port}`, ...(LOOPBACK.has(address) ? [`localhost:${port}`] : []), ...further])],
      who: (bearer) => (isSameKey(bearer, key) ? HOOKS : tokens.find(bearer)),
    };
  }

  /** Before the router, which takes the path out of a whole address. */
  #refuseTarget(response: ServerResponse): void {
    const { status, why, says } = WRONG_TARGET;
    this.#counts.refused.count(why);
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ error: says }));
  }

  async #listen(): Promise<void> {
    const { port, address = ADDRESS, hooks, telemetry, more = async () => null, requestMs = 10_000 } = this.#options;
    const { publicHosts = [], logins = { redeem: () => null, end: () => false } } = this.#options;
    try {
      if (!LOOPBACK.has(address) && !this.#options.isRemoteAllowed)
        throw new Error(`other machines can reach ${address}; to permit that, set daemon.http_remote = true`);
      const connections = new Connections();
      const page = openPage();
      const guard = this.#guard();
      const counts = this.#counts;
      const app = makeHttpApp({ ...guard, publicHosts, hooks, telemetry, counts, more, connections, page, logins });
      const answer = getRequestListener(app.fetch);
      const server = createServer(
        {
          requestTimeout: requestMs,
          headersTimeout: requestMs / 2,
          keepAliveTimeout: 5000,
          connectionsCheckingInterval: Math.min(1000, requestMs / 2),
        },
        (request, response) => {
          if (request.url?.startsWith("/")) void answer(request, response);
          else this.#refuseTarget(response);
        },
      );
      server.on("connection", (socket) => connections.open(socket));
      server.maxConnections = CONNECTIONS_MAX;
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host: address, exclusive: true }, resolve);
      });
      server.on("error", () => {
        // One connection could not be accepted; the server keeps listening.
      });
      if ((server.address() as AddressInfo).address !== address) {
        server.close();
        throw new Error(`it was bound to a different address than ${address}`);
      }
      this.#server = server;
      this.#error = null;
      if (this.#again) clearInterval(this.#again);
      this.#again = null;
    } catch (error) {
      this.#error = errorOf(error as NodeJS.ErrnoException);
    }
  }
}

function errorOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "another program uses it";
  return code === "EACCES" ? "permission denied" : message;
}
