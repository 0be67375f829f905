import { describe, expect, it } from "vitest";
import type { FleetHub, FlushRequest } from "../hub/fleet.js";
import { HubError } from "../hub/hub-error.js";
import { FleetNode } from "./fleet-node.js";

const row = (id: string) => ({ id, name: id, state: "working", since: 0, body: "{}" });

/** A node on a hub in memory, with clocks that are moved by hand. */
class Stage {
  now = 0;
  failure: Error | null = null;
  readonly flushed: FlushRequest[] = [];
  /** Times of all calls of the hub. */
  readonly asked: number[] = [];
  readonly log: string[] = [];
  readonly node: FleetNode;
  #runs = 0;
  #hold: Promise<void> | null = null;

  constructor() {
    const clock = (): number => this.now;
    this.node = new FleetNode({
      node: "lab",
      instance: "i",
      version: "1",
      open: async () => this.#hub(),
      command: async () => {},
      log: (line) => this.log.push(line),
      clocks: { monotonic: clock, wall: clock },
      random: () => 1,
    });
  }

  async after(ms: number): Promise<void> {
    this.now += ms;
    await this.node.tick();
  }

  /** The next write does not return before the function is called. */
  hold(): () => void {
    let release = (): void => {};
    this.#hold = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  #hub(): FleetHub {
    const answer = async (): Promise<void> => {
      this.asked.push(this.now);
      if (this.failure) throw this.failure;
    };
    return {
      start: async () => {
        await answer();
        return { node: "lab", run: ++this.#runs, seq: 0, now: this.now };
      },
      flush: async (request: FlushRequest) => {
        await answer();
        await this.#hold;
        this.flushed.push(request);
        return { now: this.now };
      },
      follow: async () => {
        await answer();
        return { now: this.now, reachableSince: null, nodes: [], agents: [], commands: 0, brake: 0 };
      },
      stop: async () => {},
      close: async () => {},
    } as unknown as FleetHub;
  }
}

describe("a node of a fleet", () => {
  it("names all its agents with its first write, and changed ones only after that", async () => {
    const stage = new Stage();
    stage.node.backlog.put(row("a"), false);
    await stage.after(0);
    stage.node.backlog.put(row("b"), true);
    await stage.after(10);
    expect(stage.flushed).toEqual([
      { run: 1, seq: 1, agents: [row("a")], keep: ["a"] },
      { run: 1, seq: 2, agents: [row("b")], keep: null },
    ]);
  });

  it("renews its lease every ten seconds without a change, and writes nothing else", async () => {
    const stage = new Stage();
    for (let tick = 0; tick < 250; tick++) await stage.after(100);
    expect(stage.flushed.map(({ agents }) => agents)).toEqual([[], [], []]);
  });

  it("asks a hub that fails again after half a second, doubling up to five, and logs it once", async () => {
    const stage = new Stage();
    await stage.after(0);
    stage.failure = new HubError("unreachable", "no answer");
    stage.node.backlog.put(row("a"), true);
    stage.asked.length = 0;
    for (let tick = 0; tick < 200; tick++) await stage.after(100);
    const waits = stage.asked.slice(1).map((at, index) => at - (stage.asked[index] ?? 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
    expect(stage.log.filter((line) => line === "fleet: no answer")).toHaveLength(1);
    expect(stage.node.contact()).toMatchObject({ active: false, error: "no answer", waiting: 1 });
    expect(() => stage.node.hub()).toThrow("no answer");

    stage.failure = null;
    await stage.after(5000);
    expect(stage.log.at(-1)).toBe("fleet: the hub answers again");
    expect(stage.flushed.at(-1)?.agents).toEqual([row("a")]);
    expect(stage.node.contact()).toMatchObject({ active: true, error: null, waiting: 0 });
  });

  it("stands down at once when another daemon has taken its name", async () => {
    const stage = new Stage();
    await stage.after(0);
    stage.failure = new HubError("stale_run", "a later run of this node has started");
    stage.node.backlog.put(row("a"), true);
    await stage.after(100);
    expect(stage.node.isActive).toBe(false);
  });

  it("makes one call at a time, and none after it was closed", async () => {
    const stage = new Stage();
    const release = stage.hold();
    const first = stage.after(0);
    await stage.after(10_000);
    await stage.after(10_000);
    expect(stage.asked).toHaveLength(2);
    await stage.node.close();
    release();
    await first;
    stage.node.backlog.put(row("a"), true);
    await stage.after(10_000);
    expect(stage.node.isActive).toBe(false);
    expect(stage.flushed).toHaveLength(1);
  });
});
