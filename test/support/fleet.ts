/** Several real daemons on one real PostgreSQL, each with a home of its own, through a proxy that a test can cut. */
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { FleetView } from "../../src/api/service/fleet.js";
import { TestDaemon } from "./daemon.js";
import { closeHome, type Home, makeHome, rouse, until } from "./hosts.js";
import type { HubDatabase } from "./hub-postgres.js";
import { throughPort } from "./postgres.js";

/**
 * `pass` forwards; `refuse` ends every connection, as a network without a route; `swallow` keeps connections open and forwards
 * nothing, as one that drops packets: half-open sockets.
 */
export type CutMode = "pass" | "refuse" | "swallow";

export class CutProxy {
  readonly #server: Server;
  readonly #pairs = new Map<Socket, Socket>();
  #mode: CutMode = "pass";
  port = 0;

  constructor(target: number) {
    this.#server = createServer((client) => {
      client.on("error", () => {});
      if (this.#mode === "refuse") return void client.destroy();
      const server = connect(target, "127.0.0.1");
      server.on("error", () => {});
      this.#pairs.set(client, server);
      client.on("data", (bytes) => this.#mode === "pass" && server.write(bytes));
      server.on("data", (bytes) => this.#mode === "pass" && client.write(bytes));
      client.on("close", () => this.#end(client, server));
      server.on("close", () => this.#end(client, server));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address !== null && typeof address === "object") this.port = address.port;
  }

  set(mode: CutMode): void {
    this.#mode = mode;
    if (mode === "refuse") for (const [client, server] of this.#pairs) this.#end(client, server);
  }

  stop(): void {
    for (const [client, server] of this.#pairs) this.#end(client, server);
    this.#server.close();
  }

  #end(client: Socket, server: Socket): void {
    this.#pairs.delete(client);
    client.destroy();
    server.destroy();
  }
}

export interface TestNode {
  name: string;
  home: Home;
  daemon: TestDaemon;
  proxy: CutProxy;
  rouse: (...args: string[]) => ReturnType<typeof rouse>;
  view: () => Promise<FleetView | null>;
}

export class TestFleet {
  readonly nodes: TestNode[] = [];
  readonly #database: HubDatabase;
  readonly #port: number;

  /** `port`: that of the database, or of a pooler before it. */
  constructor(database: HubDatabase, port: number) {
    this.#database = database;
    this.#port = port;
  }

  async start(name: string, config = "", environment: NodeJS.ProcessEnv = {}): Promise<TestNode> {
    const proxy = new CutProxy(this.#port);
    await proxy.start();
    const home = makeHome("on");
    const url = throughPort(this.#database.nodes[name] ?? "", proxy.port);
    mkdirSync(join(home.path, "config"), { recursive: true });
    writeFileSync(join(home.path, "config", "config.toml"), `version = 1\n${config}`);
    Object.assign(home.env, { ROUSE_HUB_URL: url, ROUSE_NODE: name }, environment);
    const daemon = new TestDaemon(home);
    const node: TestNode = {
      name,
      home,
      daemon,
      proxy,
      rouse: (...args) => rouse(home, args),
      view: () => daemon.ask<FleetView>("/v1/fleet"),
    };
    this.nodes.push(node);
    daemon.start();
    await daemon.judges();
    return node;
  }

  /** Waits until this node shows it. */
  async shows(node: TestNode, what: string, isSo: (view: FleetView) => boolean, ms = 30_000): Promise<FleetView> {
    let last: FleetView | null = null;
    const isShown = async (): Promise<boolean> => {
      last = await node.view();
      return last !== null && isSo(last);
    };
    await until(`${node.name} to show ${what}`, isShown, ms).catch((error: Error) => {
      throw new Error(
        `${error.message}; it shows ${JSON.stringify(last)?.slice(0, 2000)}; its log: ${node.daemon.words}`,
      );
    });
    return last as unknown as FleetView;
  }

  async close(): Promise<string[]> {
    const left: string[] = [];
    for (const { home, daemon, proxy, rouse: run } of this.nodes.splice(0)) {
      await daemon.kill("SIGCONT");
      const { stdout } = await run("status", "--json");
      const { agents = [] } = JSON.parse(stdout || "{}") as { agents?: { name: string }[] };
      for (const { name } of agents) await run("stop", name, "--grace", "0");
      await daemon.kill("SIGTERM");
      proxy.stop();
      left.push(...(await closeHome(home)).processes);
    }
    return left;
  }
}
