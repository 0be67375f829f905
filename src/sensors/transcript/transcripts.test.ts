import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Signal } from "../../core/signal.js";
import { NO_CONTEXT } from "../../readers/records/record-reader.js";
import { Transcripts } from "./transcripts.js";

let root: string;
let path: string;
let transcripts: Transcripts;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-transcripts-"));
  path = join(root, "s.jsonl");
});
afterEach(async () => {
  await transcripts.close();
  rmSync(root, { recursive: true, force: true });
});

let serial = 0;
const prompt = (text: string) =>
  `${JSON.stringify({ type: "user", sessionId: "s", uuid: `u${serial++}`, timestamp: new Date().toISOString(), message: { role: "user", content: text } })}\n`;
const reply = (tokens: number) =>
  `${JSON.stringify({ type: "assistant", isSidechain: true, agentId: "a1", sessionId: "s", uuid: `u${serial++}`, timestamp: new Date().toISOString(), message: { id: `m${serial}`, role: "assistant", content: [{ type: "text", text: "checking" }], usage: { input_tokens: 1, output_tokens: tokens } } })}\n`;
const texts = (signals: Signal[]) => signals.flatMap((s) => (s.kind === "message" ? [s.preview] : []));
const options = () => ({ kind: "claude-code", path, root, ...NO_CONTEXT });

async function until(ask: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await ask()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("did not happen");
}

describe("Transcripts", () => {
  it("notices a change without sweeping, even if the file is replaced", async () => {
    let news = 0;
    const got: unknown[] = [];
    transcripts = new Transcripts({ sweepMs: Number.POSITIVE_INFINITY, onChange: () => news++ });
    writeFileSync(path, "");
    await transcripts.add("a", options());
    await transcripts.tick(1);
    const hears = (text: string, write: () => void) =>
      until(async () => {
        // Written again until it is noticed: the watch may not be active yet.
        if (news === 0) write();
        for (const { signals } of await transcripts.tick(Date.now())) got.push(...texts(signals));
        return got.includes(text);
      });
    await hears("one", () => appendFileSync(path, prompt("one")));
    news = 0;
    await hears("two", () => {
      writeFileSync(`${path}.new`, prompt("two"));
      renameSync(`${path}.new`, path);
    });
    expect(news).toBeGreaterThan(0);
  });

  it("checks again after a notice, because a second notice right after it can be lost", async () => {
    let news = 0;
    transcripts = new Transcripts({ sweepMs: Number.POSITIVE_INFINITY, onChange: () => news++ });
    writeFileSync(path, "");
    await transcripts.add("a", options());
    await transcripts.tick(1);
    await until(async () => {
      if (news === 0) appendFileSync(path, prompt("one"));
      return news > 0;
    });
    await until(async () => news > 1);
    await transcripts.remove("a");
  });

  it("notices a file whose folder did not exist when it was added", async () => {
    let news = 0;
    transcripts = new Transcripts({ sweepMs: 50, onChange: () => news++ });
    const late = join(root, "new", "project", "s.jsonl");
    await transcripts.add("a", { ...options(), path: late });
    await transcripts.tick(Date.now());
    mkdirSync(join(root, "new", "project"), { recursive: true });
    writeFileSync(late, prompt("one"));
    await until(async () => {
      appendFileSync(late, prompt("more"));
      await transcripts.tick(Date.now());
      return news > 0;
    });
  });

  it("finds changes without a notice by sweeping", async () => {
    transcripts = new Transcripts({ watch: false, sweepMs: 5000 });
    await transcripts.add("a", options());
    expect(await transcripts.tick(0)).toEqual([{ session: "a", signals: [], refusal: "missing" }]);
    writeFileSync(path, prompt("one"));
    expect(await transcripts.tick(4000)).toEqual([]);
    const [news] = await transcripts.tick(5000);
    expect(texts(news?.signals ?? [])).toEqual(["one"]);
  });

  it("follows the program into its next file, and ignores a removed one", async () => {
    transcripts = new Transcripts({ watch: false, sweepMs: 0 });
    writeFileSync(path, "");
    await transcripts.add("a", options());
    await transcripts.tick(0);
    const next = join(root, "next.jsonl");
    writeFileSync(next, prompt("there"));
    await transcripts.follow("a", next);
    const [news] = await transcripts.tick(1);
    expect(texts(news?.signals ?? [])).toEqual(["there"]);
    expect(transcripts.stateOf("a")?.path).toBe(next);
    await transcripts.remove("a");
    appendFileSync(next, prompt("unheard"));
    expect(await transcripts.tick(2)).toEqual([]);
  });

  it("counts a subagent's tokens and activity, not its text", async () => {
    transcripts = new Transcripts({ watch: false, sweepMs: 0 });
    const folder = join(root, "s", "subagents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, "");
    writeFileSync(join(folder, "agent-1.jsonl"), reply(10));
    writeFileSync(join(folder, "agent-acompact-2.jsonl"), reply(10));
    await transcripts.add("a", options());
    expect(await transcripts.tick(Date.now())).toEqual([]);
    appendFileSync(join(folder, "agent-1.jsonl"), reply(25));
    appendFileSync(join(folder, "agent-acompact-2.jsonl"), reply(99));
    const [news] = await transcripts.tick(Date.now());
    expect(news?.signals.map((s) => s.kind)).toEqual(["tokens"]);
    expect(news?.signals[0]).toMatchObject({ output: 25 });
    expect(await transcripts.tick(Date.now())).toEqual([]);
  });
});
