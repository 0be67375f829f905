/** docs/orchestrators.md: its examples are what rouse sends, and its calls work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { TOOLS } from "../src/api/mcp/tools.js";
import { MESSAGE_PAYLOADS } from "../src/api/operations/message-payloads.js";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { MESSAGE_TYPES, type MessageType } from "../src/core/notices/message.js";

const text = readFileSync(join(import.meta.dirname, "..", "docs", "orchestrators.md"), "utf8");
/** The part about one type of message. */
const part = (type: string): string => (text.split(`\n### ${type}\n`)[1] ?? "").split(/\n##+ /)[0] ?? "";
const blocks = (within: string, language: string): string[] =>
  [...within.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block]) => block ?? "");

const message = z.strictObject({
  cursor: z.number().int(),
  msg_type: z.enum(MESSAGE_TYPES),
  at: z.iso.datetime(),
  payload: z.unknown(),
});

describe("docs/orchestrators.md", () => {
  it.each(MESSAGE_TYPES)("shows %s as rouse sends it, with calls as tools and as commands", (type) => {
    const own = part(type);
    const examples = blocks(own, "json").map((block) => message.parse(JSON.parse(block)));
    expect(examples.length).toBeGreaterThan(0);
    for (const { msg_type, payload } of examples) {
      expect(msg_type).toBe(type);
      expect(() => MESSAGE_PAYLOADS[type as MessageType].parse(payload)).not.toThrow();
    }
    expect(blocks(own, "text").length).toBeGreaterThan(0);
    expect(blocks(own, "sh").length).toBeGreaterThan(0);
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
      const [, command = "", ...words] = line.split(" ");
      const spec = specs.find((one) => one.words.join(" ") === command);
      expect(spec, line).toBeDefined();
      const names = spec?.options.flatMap(({ names: all }) => all) ?? [];
      for (const option of words.filter((word) => word.startsWith("--"))) expect(names, line).toContain(option);
    }
  });

  it("handles every message type as the table says", () => {
    for (const type of MESSAGE_TYPES) expect(text).toContain(`| [\`${type}\`](#${type.replace(".", "")}) |`);
  });
});
