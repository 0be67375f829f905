/** docs/orchestrators.md: its examples are what rouse sends, and its calls work. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOOLS } from "../src/api/mcp/tools.js";
import { MESSAGE_PAYLOADS } from "../src/api/operations/message-payloads.js";
import { call } from "../src/cli/client.js";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { MESSAGE_CHARS_MAX, sizeOf } from "../src/core/notices/fit.js";
import { MESSAGE_TYPES, type Payload } from "../src/core/notices/message.js";
import { docsJson } from "./support/docs-json.js";
import {
  type GoldenDaemon,
  makeGoldenHome,
  removeGoldenHome,
  startGoldenDaemon,
  writeConfig,
} from "./support/golden-daemon.js";
import { START } from "./support/steps.js";
import { playWorkers } from "./support/worker-stories.js";

const PAGE = join(import.meta.dirname, "..", "docs", "orchestrators.md");
let text = readFileSync(PAGE, "utf8");
/** The part about one type of message. */
const part = (type: string): string => (text.split(`\n### ${type}\n`)[1] ?? "").split(/\n##+ /)[0] ?? "";
const blocks = (within: string, language: string): string[] =>
  [...within.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block]) => block ?? "");

interface ToolMessage {
  cursor: number;
  msg_type: string;
  at: string;
  payload: Payload;
}

/** As `poll_messages` returns them. */
let sent: ToolMessage[];
let home: string;

beforeAll(async () => {
  home = makeGoldenHome();
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  vi.stubEnv("ROUSE_HOME", join(home, "rouse"));
  vi.stubEnv("HOME", home);
  vi.stubEnv("ROUSE_DAEMON", "off");
  writeConfig("version = 1\n");
  const daemon: GoldenDaemon = await startGoldenDaemon(playWorkers, (now) => vi.setSystemTime(now));
  const tool = TOOLS.find(({ name }) => name === "poll_messages");
  const answer = tool?.small(await call("messages", { tag: "orchestrator", limit: 100 }), {});
  sent = (answer as { messages: ToolMessage[] }).messages;
  await daemon.close();
  if (process.env.GOLDEN === "rewrite") rewrite();
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  removeGoldenHome(home);
});

/** Run by `npm run golden`. */
function rewrite(): void {
  for (const type of MESSAGE_TYPES) {
    const own = sent.filter(({ msg_type }) => msg_type === type);
    let at = 0;
    const fresh = part(type).replace(/^```json\n.*?^```$/gms, () => `\`\`\`json\n${docsJson(own[at++])}\n\`\`\``);
    text = text.replace(part(type), () => fresh);
  }
  writeFileSync(PAGE, text);
}

describe("docs/orchestrators.md", () => {
  it.each(MESSAGE_TYPES)("shows %s as rouse sends it, with calls as tools and as commands", (type) => {
    const own = part(type);
    const examples = blocks(own, "json");
    expect(examples.length).toBeGreaterThan(0);
    const expected = sent.filter(({ msg_type }) => msg_type === type).slice(0, examples.length);
    expect(examples).toEqual(expected.map((message) => `${docsJson(message)}\n`));
    for (const { payload } of expected) {
      expect(() => MESSAGE_PAYLOADS[type].parse(payload)).not.toThrow();
      expect(sizeOf(payload)).toBeLessThanOrEqual(MESSAGE_CHARS_MAX);
    }
    expect(blocks(own, "text").length).toBeGreaterThan(0);
    expect(blocks(own, "sh").length).toBeGreaterThan(0);
  });

  it.each(MESSAGE_TYPES)("refers to the workers and incidents of %s in the calls below it", (type) => {
    const examples = sent.filter(({ msg_type }) => msg_type === type).map(({ payload }) => payload);
    const known = examples.flatMap((one) => [one.worker_id, one.worker_name, one.incident_id]);
    const calls = [...blocks(part(type), "text"), ...blocks(part(type), "sh")].join("\n");
    const named = calls.match(/\b(?:mwhs\w+-\w+|[\w-]+-worker|(?<=(?:feedback|incidents|ack) )\w{9,})\b/g) ?? [];
    for (const name of named) expect(known).toContain(name);
  });

  it("shows only calls that each tool accepts", () => {
    const calls = blocks(text, "text").flatMap((block) => block.trim().split("\n"));
    expect(calls.length).toBeGreaterThan(10);
    for (const call of calls) {
      const [, name, args] = /^([a-z_]+) (\{.*\})$/.exec(call) ?? [];
      const tool = TOOLS.find((one) => one.name === name);
      expect(tool, call).toBeDefined();
      expect(tool?.input.strict().safeParse(JSON.parse(args ?? "")), call).toMatchObject({ success: true });
    }
  });

  it("shows only commands and options that exist", async () => {
    const specs = await allCommands(COMMANDS);
    const lines = blocks(text, "sh")
      .flatMap((block) => block.trim().split("\n"))
      .filter((line) => line.startsWith("rouse "));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const [, ...words] = line.split(" ");
      // The longest one: `token create` before `token`.
      const spec = specs
        .filter((one) => one.words.join(" ") === words.slice(0, one.words.length).join(" "))
        .toSorted((a, b) => b.words.length - a.words.length)[0];
      expect(spec, line).toBeDefined();
      const names = spec?.options.flatMap(({ names: all }) => all) ?? [];
      for (const option of words.filter((word) => word.startsWith("--"))) expect(names, line).toContain(option);
    }
  });

  it("handles every message type as the table says", () => {
    for (const type of MESSAGE_TYPES) expect(text).toContain(`| [\`${type}\`](#${type.replace(".", "")}) |`);
  });
});
