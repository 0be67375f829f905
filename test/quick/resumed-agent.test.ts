/** Between a resume and the first new turn, records of the time before prove nothing and end nothing. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Action, ActionOutcome } from "../../src/core/action.js";
import type { Signal } from "../../src/core/signal.js";
import { NO_CONTEXT } from "../../src/readers/records/record-reader.js";
import { TranscriptSensor } from "../../src/sensors/transcript/transcript-sensor.js";
import { ClaudeLines } from "../support/claude-lines.js";
import { agent, TestLoop } from "../support/loops.js";
import { screen } from "../support/steps.js";

let folder: string;
let test: TestLoop;
let sensors: TranscriptSensor[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-resumed-"));
  test = new TestLoop();
});
afterEach(async () => {
  for (const sensor of sensors) await sensor.close();
  sensors = [];
  test.close();
  rmSync(folder, { recursive: true, force: true });
});

const CRASHED_S = 100;

/** Cut off in a command, a minute and a half after its start. */
const cutOff = (): ClaudeLines =>
  new ClaudeLines("2.1.325")
    .prompt(1, "Fix the parser")
    .says(5, "I look at the tests.", null)
    .calls(90, "t1", "Bash", { command: "npm test" });

/** One turn had ended; the process died in the next one. */
const finished = (): ClaudeLines =>
  new ClaudeLines("2.1.325")
    .prompt(1, "Fix the parser")
    .calls(80, "t1", "Bash", { command: "npm test" })
    .result(90, "t1", "ok")
    .says(95, "The parser is fixed.")
    .turnEnds(95)
    .prompt(96, "And the lexer");

/** The way in which the resumed program gets to its old file. */
type Way = "at once" | "by a switch" | "as a copy";

/** The agent dies, and is resumed 80 s later: the outcome of the resume is that of `hand`. */
async function resumed(
  lines: ClaudeLines,
  way: Way,
  hand: (action: Action) => Partial<ActionOutcome> = () => ({ result: "done", proven: null }),
): Promise<{ read: () => Promise<void>; path: string }> {
  const path = join(folder, "old.jsonl");
  writeFileSync(path, lines.text);
  let session = "s1";
  Object.assign(test.stepRules, { can: () => ["resume", "nudge"], isAllowed: () => true });
  test.carryOut = async (action) => {
    if (action.do === "resume") {
      session = "s2";
      test.loop.register(agent({ id: session, startedAt: test.hand.wall }));
    }
    return { intent: action.id, at: test.loop.now(), result: "done", reason: "", proven: null, ...hand(action) };
  };
  const sensorOf = (startedAt: number, at: string) => {
    const options = { kind: "claude-code", path: at, root: folder, startedAt, ...NO_CONTEXT };
    const sensor = new TranscriptSensor(options);
    sensors.push(sensor);
    return sensor;
  };
  const before = sensorOf(test.hand.wall, path);
  test.loop.register(agent());
  await test.send("s1", [screen({})]);
  test.run(CRASHED_S);
  await test.loop.ingest("s1", null, (await before.read(test.hand.wall)).signals);
  await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
  test.loop.register(agent({ endedAt: test.hand.wall }));
  for (let second = 0; session === "s1" && second < 300; second++) {
    test.run(1);
    await new Promise(setImmediate);
  }
  expect(session).toBe("s2");
  const started = test.hand.wall;
  const first = join(folder, "new.jsonl");
  const after = sensorOf(started, way === "at once" ? path : first);
  const read = async (): Promise<void> => {
    await test.loop.ingest("s2", null, (await after.read(test.hand.wall)).signals);
  };
  await test.send("s2", [screen({ composer: "hidden", busy: null, reply: "" })]);
  await read();
  test.run(2);
  if (way === "by a switch") await after.follow(path);
  if (way === "as a copy") writeFileSync(first, lines.text);
  // The end of the old conversation is drawn, and the program's own file says idle.
  await test.send("s2", [
    screen({ reply: "old words", replying: true, busy: null, composer: "hidden" }),
    screen({ reply: "old words and more", replying: true }),
    { kind: "status", source: "session_file", status: "idle" },
  ]);
  await read();
  return { read, path: way === "as a copy" ? first : path };
}

const sinceTheCrash = (): string[] => test.changes.slice(test.changes.indexOf("api gone/crash") + 1);
const phase = (): string => test.loop.incidents.incidents.map((incident) => incident.phase).join();

describe.each<Way>(["at once", "by a switch", "as a copy"])("a resumed agent that reads its old file %s", (way) => {
  it("opens no tool of the process that died, and is not recovered by its old records", async () => {
    await resumed(cutOff(), way);
    test.run(120);
    expect(test.says()).toBe("idle");
    expect(sinceTheCrash()).toEqual(["api idle"]);
    expect(phase()).not.toContain("recovered");
  });

  it("is not complete because its last turn ended before the crash", async () => {
    await resumed(finished(), way);
    test.run(120);
    expect(sinceTheCrash()).toEqual(["api idle"]);
    expect(phase()).not.toContain("recovered");
  });

  it("is recovered by a new turn in which the model writes", async () => {
    const { read, path } = await resumed(cutOff(), way);
    test.run(10);
    const seconds = (test.hand.wall - Date.parse("2026-03-02T09:00:00Z")) / 1000;
    const lines = new ClaudeLines("2.1.325");
    for (let n = 0; n < 9; n++) lines.until(seconds);
    const known = lines.text.length;
    lines.prompt(seconds + 1, "Please continue where you stopped. [rouse]");
    appendFileSync(path, lines.text.slice(known));
    test.run(2);
    await read();
    test.run(40);
    expect(phase()).not.toContain("recovered");
    const asked = lines.text.length;
    lines.calls(seconds + 44, "t9", "Bash", { command: "npm test" });
    appendFileSync(path, lines.text.slice(asked));
    test.run(2);
    await read();
    test.run(35);
    expect(phase()).toBe("recovered");
  });
});

describe("a resumed agent whose nudge was typed and not sent", () => {
  it("keeps its incident open, is nudged again, and is escalated if that fails too", async () => {
    const tried: string[] = [];
    await resumed(cutOff(), "by a switch", ({ do: name }) => {
      tried.push(name);
      return { result: "failed", proven: false, reason: "Enter was not pressed" };
    });
    for (let second = 0; second < 1200; second++) {
      test.run(1);
      await new Promise(setImmediate);
    }
    expect(tried).toEqual(["resume", "nudge", "nudge"]);
    expect(phase()).toBe("escalated");
    expect(test.says()).toBe("idle");
  });
});

describe("a file in the agent's folder", () => {
  const logged = (ms: number) =>
    ({ kind: "file", source: "workspace", path: "keys.log", at: test.hand.wall + ms }) as Signal;

  it("that changed while rouse typed proves nothing; a later change does", async () => {
    test.loop.register(agent());
    await test.send("s1", [{ kind: "input", source: "observer", by: "rouse", bytes: 30 }]);
    await test.loop.ingest("s1", null, [logged(300)]);
    const { proof, activity } = test.loop.find("api")?.evidence ?? expect.fail("no evidence");
    expect([proof.workAt, [...activity.recent.values()].flat()]).toEqual([null, []]);
    await test.loop.ingest("s1", null, [logged(20_000)]);
    expect(proof.workAt).toBe(test.hand.wall + 20_000);
  });
});
