/** One client in its own home that rouse may act on, by the default policy and in real time. */

import type { MessageView } from "../../src/api/operations/records.js";
import { askHost, bytesOf, HostClient } from "../../src/cli/host-client.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { IncidentView } from "../../src/daemon/views/incident-view.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { viewOf } from "../support/fake-agent.js";
import { type Home, rouse, until } from "../support/hosts.js";
import { begin, type Case, nameOf, record, seatOf, Trail } from "./case.js";
import { keysThroughTmux, leaveHome, openHome } from "./homes.js";
import type { Seat } from "./seats.js";
import { ModelServer } from "./server/server.js";

export class Care {
  readonly home: Home;
  readonly one: Case;
  readonly server: ModelServer;
  readonly seat: Seat;
  readonly seen: Trail;
  readonly name: string;

  private constructor(home: Home, one: Case, server: ModelServer, seat: Seat, seen: Trail) {
    this.home = home;
    this.one = one;
    this.server = server;
    this.seat = seat;
    this.seen = seen;
    this.name = nameOf(one);
  }

  /** One home each: three that fail together would be one outage. */
  static async with(one: Case, body: (care: Care) => Promise<void>, isPrompted = true): Promise<void> {
    const home = await openHome();
    const server = await ModelServer.start(one.scenario.script);
    const seen = new Trail(home, nameOf(one));
    let care: Care | null = null;
    try {
      care = new Care(home, one, server, await seatOf(home, one, server.url), seen);
      record(home, care.name);
      await care.#allow();
      if (isPrompted) await begin(server, seen, care.seat);
      await body(care);
      const unasked = server.phoned.filter((host) => !one.installed.client.insists.includes(host));
      if (unasked.length > 0) throw new Error(`it wanted to reach ${unasked.join(", ")}`);
    } catch (error) {
      const story = care === null ? "" : await care.story();
      throw new Error(`${(error as Error).message}\n${story}`, { cause: error });
    } finally {
      await care?.seat.leave();
      await seen.stop();
      await server.close();
      await leaveHome(home);
    }
  }

  async #allow(): Promise<void> {
    await until("it to be known", async () => (await viewOf(this.home, this.name)) !== null, 60_000);
    const { status, stderr } = await rouse(this.home, ["allow", this.name]);
    if (status !== 0) throw new Error(`rouse allow ended with ${status}: ${stderr}`);
  }

  async incidents(): Promise<IncidentView[]> {
    const { daemonSocket } = rousePaths(this.home.env);
    const { incidents } = (await askDaemon(daemonSocket, "GET", "/v1/incidents?all=true")) as {
      incidents: IncidentView[];
    };
    return incidents;
  }

  /** Its only incident, once it reached this phase. */
  async incident(what: string, isSo: (incident: IncidentView) => boolean, ms: number): Promise<IncidentView> {
    let found: IncidentView[] = [];
    await until(
      what,
      async () => {
        found = await this.incidents().catch(() => []);
        return found.some(isSo);
      },
      ms,
    );
    if (found.length !== 1) throw new Error(`there are ${found.length} incidents, and one was expected`);
    return found[0] as IncidentView;
  }

  async messages(): Promise<MessageView[]> {
    const { stdout } = await rouse(this.home, ["messages", "--all", "--json"]);
    return (JSON.parse(stdout) as { messages: MessageView[] }).messages;
  }

  /** The script has ended, and rouse reports it. */
  async finishes(ms: number): Promise<void> {
    const last = this.one.scenario.script.length - 1;
    await until("the end of the work", () => this.server.lastOf("end", last) !== null, ms);
    await this.seen.says("complete", this.server.lastOf("end", last) ?? 0, 30);
  }

  /** Every key that arrives in its terminal from now on, from any writer; in tmux only those of rouse. */
  async keys(): Promise<() => string[]> {
    if (this.one.way === "watch") {
      const before = keysThroughTmux(this.home).length;
      return () => keysThroughTmux(this.home).slice(before);
    }
    const session = findSession(rousePaths(this.home.env), this.name) as FoundSession & { hostSocket: string };
    const keys: string[] = [];
    const take = (event: Record<string, unknown>): void => {
      if (event.ev === "input") keys.push(bytesOf(event).toString());
    };
    const client = await HostClient.connect(session, take, () => {});
    client.send({ op: "logs", follow: true, keys: true });
    // Answered after it: from here on nothing is missed.
    await askHost(session, { op: "info" }, "info");
    return () => {
      client.close();
      return keys;
    };
  }

  /** For the message of a failed test. */
  async story(): Promise<string> {
    const actions = this.server.actions.map(
      ({ at, did, request, what = "" }) => `${new Date(at).toISOString()} ${did} ${request} ${what}`,
    );
    const incidents = await this.incidents().catch(() => []);
    const screen = await this.seat.screen().catch(() => "");
    return [this.seen.story, ...actions, JSON.stringify(incidents, null, 1), screen].join("\n");
  }
}
