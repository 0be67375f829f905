import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeDaemon } from "../../test/support/fake-daemon.js";
import { until } from "../../test/support/hosts.js";
import { sessionOf } from "../../test/support/sessions.js";
import type { Signal } from "../core/signal.js";
import { DaemonLink } from "./daemon-link.js";

const session = sessionOf({ pidStart: null, startedAt: 0 });
const output = (bytes: number): Signal => ({ kind: "output", at: bytes, source: "screen", bytes });

let folder: string;
let socketPath: string;
let daemon: FakeDaemon;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-"));
  socketPath = join(folder, "d.sock");
  daemon = new FakeDaemon();
});

afterEach(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true });
});

describe("the link to the daemon", () => {
  it("delivers every signal once and in order, in batches of at most 200", async () => {
    await daemon.listen(socketPath);
    const link = new DaemonLink({ socketPath, session });
    for (let n = 1; n <= 1000; n++) link.give(output(n));
    expect(await link.close(5000)).toBe(true);
    expect([...daemon.signals].map(([seq, signal]) => [seq, signal.at])).toEqual(
      Array.from({ length: 1000 }, (_, n) => [n + 1, n + 1]),
    );
    expect(daemon.batches.map(({ count }) => count)).toEqual([200, 200, 200, 200, 200]);
  });

  it("loses no signal when the daemon fails, disconnects and forgets the session", async () => {
    await daemon.listen(socketPath);
    const link = new DaemonLink({ socketPath, session });
    link.give(output(1));
    await until("the first", () => daemon.acked === 1);
    daemon.failures = [500, 409, 500];
    for (let n = 2; n <= 50; n++) link.give(output(n));
    await until("the rest", () => daemon.acked === 50);
    await daemon.close();
    daemon.sessions.length = 0;
    for (let n = 51; n <= 60; n++) link.give(output(n));
    await daemon.listen(socketPath);
    await until("what came meanwhile", () => daemon.acked === 60);
    expect(daemon.sessions).toHaveLength(1);
    expect(await link.close(5000)).toBe(true);
  });

  it("sends heartbeats while there is nothing to send, and none when the agent is no longer watched", async () => {
    await daemon.listen(socketPath);
    let isWatching = true;
    const link = new DaemonLink({ socketPath, session, heartbeatMs: 20, isWatching: () => isWatching });
    await until("some beats", () => daemon.sessions.length >= 5);
    isWatching = false;
    // One request at a time: after this, no heartbeat is under way.
    link.give(output(1));
    await until("a signal", () => daemon.acked === 1);
    const { length } = daemon.sessions;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([daemon.sessions.length, link.isConnected]).toEqual([length, true]);
    expect(await link.close(5000)).toBe(true);
  });

  it("starts a daemon once if none is running", async () => {
    let starts = 0;
    const startDaemon = async (): Promise<void> => {
      starts++;
      await daemon.listen(socketPath);
    };
    const link = new DaemonLink({ socketPath, session, startDaemon });
    link.give(output(1));
    expect(await link.close(5000)).toBe(true);
    expect([starts, daemon.acked]).toEqual([1, 1]);
  });

  it("treats a daemon that acknowledges nothing as failed, and registers again after a pause", async () => {
    await daemon.listen(socketPath);
    daemon.isForgetful = true;
    const link = new DaemonLink({ socketPath, session });
    link.give(output(1));
    await until("it registers again", () => daemon.sessions.length >= 3);
    expect(daemon.batches.length).toBeLessThanOrEqual(daemon.sessions.length);
    daemon.isForgetful = false;
    expect(await link.close(5000)).toBe(true);
    expect([...daemon.signals.keys()]).toEqual([1]);
  });

  it("keeps a bounded number of signals without a daemon, counts the dropped ones, and closes at once", async () => {
    const link = new DaemonLink({ socketPath, session, keptMax: 100 });
    for (let n = 1; n <= 1000; n++) link.give(output(n));
    expect(link.droppedSignals).toBeGreaterThanOrEqual(900);
    // Longer than a test may take: waiting for it would fail the test.
    expect(await link.close(24 * 3_600_000)).toBe(false);
  });

  it("reports that the daemon lost what it had acknowledged, and once", async () => {
    await daemon.listen(socketPath);
    let lost = 0;
    const link = new DaemonLink({ socketPath, session, heartbeatMs: 20, onLost: () => lost++ });
    for (let n = 1; n <= 3; n++) link.give(output(n));
    await until("the signals", () => daemon.acked === 3);
    const beats = async (): Promise<void> => {
      const { length } = daemon.sessions;
      await until("some heartbeats", () => daemon.sessions.length >= length + 3);
    };
    await beats();
    expect(lost).toBe(0);
    daemon.signals.delete(3);
    await beats();
    expect(lost).toBe(1);
    daemon.signals.clear();
    await beats();
    expect(lost).toBe(2);
    await link.close(1000);
  });

  it("reports a loss when the daemon asks for everything again, and after it dropped signals itself", async () => {
    let lost = 0;
    const link = new DaemonLink({ socketPath, session, heartbeatMs: 20, keptMax: 10, onLost: () => lost++ });
    for (let n = 1; n <= 20; n++) link.give(output(n));
    await daemon.listen(socketPath);
    await until("the rest", () => daemon.signals.has(20));
    expect(lost).toBe(1);
    daemon.isMissingSome = true;
    await until("the requests", () => lost >= 3);
    await link.close(1000);
  });

  it("drops signals that the daemon refuses, and sends the next ones", async () => {
    await daemon.listen(socketPath);
    const link = new DaemonLink({ socketPath, session });
    link.give(output(1));
    await until("the first", () => daemon.acked === 1);
    daemon.failures = [400];
    link.give(output(2));
    await until("the refusal", () => link.droppedSignals === 1);
    link.give(output(3));
    await until("the next", () => daemon.signals.has(3));
    await link.close(1000);
  });
});
