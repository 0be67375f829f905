/**
 * Actions on real clients: they are interrupted, nudged, stopped and resumed, and left alone if they ask
 * something.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { ActionName, ActionOutcome } from "../../src/core/action.js";
import type { AgentSession } from "../../src/core/agent.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { Evidence } from "../../src/core/judgement/evidence/state.js";
import type { ScreenState } from "../../src/core/policy/typing-checks.js";
import { PLAIN_TRAITS } from "../../src/core/traits.js";
import { askDaemon } from "../../src/daemon/client.js";
import { type SessionRecord, sessionOf } from "../../src/daemon/views/session-record.js";
import { type EffectContext, Environments } from "../../src/effects/index.js";
import { Keyboard } from "../../src/effects/keys/keyboard.js";
import { openTerminal } from "../../src/effects/keys/open-terminal.js";
import { profileFor } from "../../src/programs/registry.js";
import { identityOf } from "../../src/sensors/process/process-sensor.js";
import { carriedOut, HOST_SCRIPT } from "../support/actions.js";
import { type Home, until } from "../support/hosts.js";
import { type Case, conversationsOf, nameOf, prompt, seatOf } from "./case.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { CODEX } from "./clients/codex.js";
import { type Installed, install } from "./clients/install.js";
import { leaveHome, openHome } from "./homes.js";
import type { Scenario } from "./scenarios.js";
import type { Seat, Way } from "./seats.js";
import type { Step } from "./server/script.js";
import { ModelServer } from "./server/server.js";

const CLIENTS = [CLAUDE_CODE, CODEX];
const WAYS: readonly Way[] = ["spawn", "watch", "run"];
const installed = new Map<string, Installed>();
let home: Home;

beforeAll(async () => {
  for (const client of CLIENTS) installed.set(client.name, await install(client));
  home = await openHome();
});

afterAll(() => leaveHome(home));

const half: Step = {
  do: "text",
  text: "The function subtracts where it must add. I will change the operator",
  ms: 1000,
};
const done: readonly Step[] = [{ do: "text", text: "The sign in `add` was wrong. It is mended.", ms: 800 }];
const HANG: Scenario = { name: "interrupted hang", script: [[half, { do: "stall" }], done], expects: [] };
const ASKS: Scenario = {
  name: "open permission",
  script: [[{ do: "call", tool: "shell", command: "node slow-test.mjs 1 > result.txt", asks: true }], done],
  mood: { asks: true },
  expects: [],
};

/** A client that got its prompt and has reached this action of the model. */
class Held {
  readonly #one: Case;
  readonly server: ModelServer;
  readonly seat: Seat;
  agent: AgentSession;

  private constructor(one: Case, server: ModelServer, seat: Seat, agent: AgentSession) {
    this.#one = one;
    this.server = server;
    this.seat = seat;
    this.agent = agent;
  }

  static async at(one: Case, record: "stall" | "end"): Promise<Held> {
    const server = await ModelServer.start(one.scenario.script);
    const seat = await seatOf(home, one, server.url);
    let agent: AgentSession | undefined;
    await until(
      "it to be known",
      async () => {
        const { agents } = (await askDaemon(rousePaths(home.env).daemonSocket, "GET", "/v1/sessions")) as {
          agents: SessionRecord[];
        };
        const record = agents.find(({ name }) => name === nameOf(one));
        agent = record && sessionOf(record);
        return agent?.kind === one.installed.client.kind && agent.pid !== null;
      },
      60_000,
    );
    const held = new Held(one, server, seat, agent as AgentSession);
    await held.shows("its prompt", ({ composer, busy }) => composer === "empty" && busy === false);
    await prompt(server, seat);
    await until("the action", () => server.lastOf(record) !== null, 60_000);
    return held;
  }

  /** Only the test types, and it has finished by then. */
  do(name: ActionName, context: Partial<EffectContext> = {}): Promise<ActionOutcome> {
    return carriedOut(home, this.agent, name, { quietMs: 0, ...context }, { deadlineMs: 120_000 });
  }

  async shows(what: string, isSo: (screenState: ScreenState) => boolean): Promise<void> {
    const terminal = openTerminal(this.agent, profileFor(this.agent.kind));
    if (!terminal) throw new Error("no terminal");
    const hand = new Keyboard(terminal, Date.now);
    let last: unknown;
    const fits = async (): Promise<boolean> => {
      const check = await hand.check();
      last = check.terminalState ?? check;
      return check.terminalState !== null && isSo(check.terminalState.screenState);
    };
    await until(what, fits, 60_000)
      .catch((error: Error) => {
        throw new Error(`${error.message}; the last check was ${JSON.stringify(last)}`);
      })
      .finally(() => hand.close());
  }

  conversation(): string {
    return conversationsOf(home, this.#one)[0] ?? "";
  }

  async leave(): Promise<void> {
    await this.seat.leave();
    await this.server.close();
  }
}

describe.each(CLIENTS.map((client) => client.name))("%s", (client) => {
  const held = (scenario: Scenario, way: Way, record: "stall" | "end"): Promise<Held> =>
    Held.at({ installed: installed.get(client) as Installed, scenario, way }, record);

  it.each(WAYS)("in a silent hang (%s) is interrupted, nudged, and finishes", async (way) => {
    const one = await held(HANG, way, "stall");
    try {
      const interrupted = await one.do("interrupt");
      expect(interrupted, await one.seat.screen()).toMatchObject({ result: "done", proven: true });
      const requests = one.server.actions.filter(({ did }) => did === "request").length;
      const nudged = await one.do("nudge");
      expect(nudged, await one.seat.screen()).toMatchObject({ result: "done" });
      await until("the reply", () => one.server.lastOf("end", requests) !== null, 30_000);
      await one.shows("the end", ({ composer, busy }) => composer === "empty" && busy === false);
    } finally {
      await one.leave();
    }
  });

  it.each(WAYS)("with an open permission dialog (%s) gets no key", async (way) => {
    const one = await held(ASKS, way, "end");
    try {
      await one.shows("the dialog", ({ dialog }) => dialog === "permission");
      for (const name of ["nudge", "interrupt"] as const)
        expect(await one.do(name)).toMatchObject({ result: "refused", reason: "a dialog is open (permission)" });
      await one.shows("it still", ({ dialog }) => dialog === "permission");
      expect(one.server.actions.filter(({ did }) => did === "request")).toHaveLength(1);
    } finally {
      await one.leave();
    }
  });

  it("stopped in a hang, or killed, is resumed with its context", async () => {
    const one = await held(HANG, "spawn", "stall");
    const environments = new Environments(rousePaths(home.env), home.env);
    environments.remember(one.agent);
    try {
      expect(await one.do("stop")).toMatchObject({ result: "done", proven: true });
      expect(identityOf(one.agent.pid as number)).not.toBe(one.agent.pidStart);
      const evidence: Evidence = createEvidence(PLAIN_TRAITS);
      takeSignal(evidence, { kind: "session", at: Date.now(), source: "transcript", id: one.conversation() });
      const starting = { environments, hostScript: HOST_SCRIPT };
      const resumed = await one.do("resume", { evidence: () => evidence, starting });
      expect(resumed, await one.seat.screen()).toMatchObject({ result: "done" });
      expect(resumed.reason).toContain("typed and sent");
      await until("the reply", () => one.server.lastOf("end", 1) !== null, 30_000);
    } finally {
      await one.leave();
    }
  });
});
