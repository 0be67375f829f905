import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { CLAUDE_EVENTS } from "./hook-code.js";
import { addPlugin, pluginState, removePlugin } from "./plugin.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const FOLDER = "/home/a b/.local/state/rouse/claude-code-plugin";
const MARKET = { rouse: { source: { source: "directory", path: FOLDER } } };

const added = (text: string, folder = FOLDER): string => {
  const edited = addPlugin(text, folder);
  if (!edited.ok) throw new Error(edited.error);
  return edited.text;
};
const removed = (text: string): string => {
  const edited = removePlugin(text);
  if (!edited.ok) throw new Error(edited.error);
  return edited.text;
};

describe("the plugin in Claude Code's settings", () => {
  it.each([
    ["none", ""],
    ["with nothing", "{}\n"],
    ["with comments", '{\n  // mine\n  "model": "opus" // dear\n}\n'],
    ["with other plugins", '{\n  "enabledPlugins": {\n    "a@b": true // theirs\n  },\n  "model": "x"\n}\n'],
    [
      "with other marketplaces",
      '{\n  "extraKnownMarketplaces": { "b": { "source": { "source": "github", "repo": "o/b" } } }\n}\n',
    ],
    ["with Windows line breaks", '{\r\n  "a": 1 // b\r\n}\r\n'],
  ])("is added to settings %s and removed without a trace", (_, text) => {
    const after = added(text);
    expect(parse(after)).toMatchObject({ extraKnownMarketplaces: MARKET, enabledPlugins: { "rouse@rouse": true } });
    expect(added(after)).toBe(after);
    expect(pluginState(after)).toBe("on");
    expect(removed(after).replace(/\s/g, "")).toBe(text === "" ? "{}" : text.replace(/\s/g, ""));
  });

  it("is enabled again with the new path after its folder moved", () => {
    const off = added("{}").replace("true", "false");
    expect(pluginState(off)).toBe("off");
    const after = added(off.replace("/home/a b/", "/old/"));
    expect(parse(after)).toEqual({ extraKnownMarketplaces: MARKET, enabledPlugins: { "rouse@rouse": true } });
  });

  it("is left unchanged if it comes from another source", () => {
    const theirs =
      '{"extraKnownMarketplaces":{"rouse":{"source":{"source":"github","repo":"o/rouse"}}},"enabledPlugins":{"rouse@rouse":true}}';
    expect(pluginState(theirs)).toBe("foreign");
    expect(added(theirs)).toBe(theirs);
    expect(removed(theirs)).toBe(theirs);
    expect(addPlugin(theirs.replace("true", "false"), FOLDER)).toEqual({
      ok: false,
      error: '"extraKnownMarketplaces.rouse" names another marketplace',
    });
  });

  it("is not added to settings of an unexpected form", () => {
    expect(addPlugin('{"enabledPlugins": ["x"]}', FOLDER)).toMatchObject({
      ok: false,
      error: '"enabledPlugins" is not an object',
    });
    expect(addPlugin("{", FOLDER)).toMatchObject({ ok: false });
    expect(pluginState("[")).toBe("none");
  });
});

describe("the plugin's folder", () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, "plugin", path), "utf8"));

  it("has the hooks that rouse init adds to the settings, and each does nothing beside those", () => {
    const { hooks } = read("hooks/hooks.json") as { hooks: Record<string, unknown> };
    const entry = { type: "command", command: "rouse hook claude-code --plugin", timeout: 5 };
    const groups = CLAUDE_EVENTS.map(({ name, byTool }) => [
      name,
      [{ ...(byTool ? { matcher: "*" } : {}), hooks: [entry] }],
    ]);
    expect(hooks).toEqual(Object.fromEntries(groups));
  });

  it("has the version of the package and is part of it", () => {
    const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string; files: string[] };
    expect(read(".claude-plugin/plugin.json")).toMatchObject({ name: "rouse", version: own.version });
    expect(own.files).toContain("plugin");
    expect(read(".claude-plugin/marketplace.json")).toMatchObject({ name: "rouse", plugins: [{ name: "rouse" }] });
  });
});
