import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { CLAUDE, FILES, home, plan, put } from "../../test/support/hook-settings.js";
import { applyHooks, programsInUse } from "./hooks-install.js";

describe("hooks of Claude Code", () => {
  it("are added beside other hooks, and every comment is kept", () => {
    put("claude-code", CLAUDE);
    const { after, error: issue } = plan("claude-code");
    expect(issue).toBeNull();
    for (const kept of ["// My settings.", "/* dear */", "// tells me", "say done", '"theme": "dark"'])
      expect(after).toContain(kept);
    const { hooks } = parseJsonc(after) as {
      hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]>;
    };
    expect(hooks.Stop?.flatMap((group) => group.hooks.map((hook) => hook.command))).toEqual([
      "rouse hook claude-code",
      "say done",
    ]);
    expect(hooks.PreToolUse).toMatchObject([
      { matcher: "*", hooks: [{ command: "rouse hook claude-code", timeout: 5 }] },
    ]);
    expect(hooks.StopFailure).toHaveLength(1);
  });

  it.each([
    [
      "comments before, beside and after other hooks",
      `{
  "hooks": {
    // all of them
    "PreToolUse": [
      // foreign
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "true" } ] }, // beside
      /* the next */ { "matcher": "Edit", "hooks": [{ "type": "command", "command": "false" }] }
      // behind
    ], // of tools
    // before the end
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // tells me
    ] // the last
  }, // theirs
  "model": "opus" // dear
}
`,
    ],
    [
      "trailing commas",
      `{
  "model": "opus", // dear
  "hooks": {
    "Stop": [
      // foreign
      { "hooks": [{ "type": "command", "command": "say done" },] },
    ],
  },
}
`,
    ],
    ["lines that end with CR LF", '{\r\n  // mine\r\n  "model": "opus" // dear\r\n}\r\n'],
  ])("are removed without changing anything else: %s", (_, before) => {
    const path = put("claude-code", before);
    applyHooks(plan("claude-code"));
    expect(readFileSync(path, "utf8")).toContain("rouse hook");
    expect(plan("claude-code", { remove: true }).after).toBe(before);
  });

  it("are added only once", () => {
    const path = put("claude-code", CLAUDE);
    applyHooks(plan("claude-code"));
    const once = readFileSync(path, "utf8");
    expect(plan("claude-code").after).toBe(once);
  });

  it("leave no backup of a file that rouse created itself", () => {
    expect(applyHooks(plan("claude-code"))).toBeNull();
    expect(applyHooks(plan("claude-code", { command: ["/elsewhere/rouse"] }))).toBeNull();
    expect(applyHooks(plan("claude-code", { remove: true }))).toBeNull();
    expect(existsSync(`${plan("claude-code").path}.before-rouse`)).toBe(false);
  });

  it("are updated when rouse moves", () => {
    put("claude-code", CLAUDE);
    applyHooks(plan("claude-code", { command: ["/old place/bin/rouse"] }));
    const { after } = plan("claude-code");
    expect(after).not.toContain("old place");
    expect(after.match(/rouse hook claude-code/g)).toHaveLength(12);
  });

  it.each([
    [
      "with other hooks",
      CLAUDE.replace('"PreToolUse": []', '"PreToolUse": [{ "hooks": [{ "type": "command", "command": "x" }] }]'),
    ],
    ["without hooks", '{\n  "model": "opus"\n}\n'],
    ["with nothing", "{}\n"],
    ["with tabs", '{\n\t"a": 1,\n\t"b": [\n\t\t2\n\t]\n}\n'],
    ["with Windows line breaks", '{\r\n  "a": 1\r\n}\r\n'],
  ])("leave no trace in settings %s when they are removed", (_, text) => {
    const path = put("claude-code", text);
    applyHooks(plan("claude-code"));
    expect(readFileSync(path, "utf8")).not.toBe(text);
    applyHooks(plan("claude-code", { remove: true }));
    expect(parseJsonc(readFileSync(path, "utf8"))).toEqual(parseJsonc(text));
    expect(readFileSync(path, "utf8").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  });

  it("are removed from settings with unknown content", () => {
    const text = '{"hooks":{"enabled":true,"Other":[null,3,{"hooks":"x"},{"hooks":[null]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true })).toMatchObject({ after: text, error: null });
  });

  it("of other programs that look similar are not removed", () => {
    const text =
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"arouse hook claude-code"},{"type":"command","command":"rouse hook claude-code --mine"}]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true }).after).toBe(text);
  });

  it.each([
    ['{ "a": 1,, }', "line 1, column 10: not valid JSON"],
    ['{\n  "hooks": {', "line 2, column 13: not valid JSON"],
    ["[]", "expected an object at the top level"],
    ['{"hooks": []}', '"hooks" is not an object'],
    ['{"hooks": {"Stop": ["x"]}}', '"hooks.Stop" is not a list of hooks'],
    ['{"hooks": {"Stop": {}}}', '"hooks.Stop" is not a list of hooks'],
  ])("are not added to %j", (text, issue) => {
    const path = put("claude-code", text);
    const found = plan("claude-code");
    expect(found.error).toContain(issue);
    expect(found.error).toContain("nothing was changed");
    applyHooks(found);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("quote a path that a shell would split", () => {
    const { after } = plan("claude-code", { command: ["/my tools/it's/bin/rouse"] });
    expect(after).toContain(JSON.stringify("'/my tools/it'\\''s/bin/rouse' hook claude-code"));
  });
});

describe("hooks of Gemini CLI", () => {
  it("are added to its settings and removed again", () => {
    const text = '{\n  "security": { "auth": {} } // mine\n}\n';
    const path = put("gemini", text);
    applyHooks(plan("gemini"));
    const { hooks } = parseJsonc(readFileSync(path, "utf8")) as { hooks: Record<string, unknown[]> };
    expect(Object.keys(hooks)).toContain("AfterAgent");
    applyHooks(plan("gemini", { remove: true }));
    expect(readFileSync(path, "utf8").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  });
});

const CODEX = `# my model
model = "gpt-6" # the large one
notes = """
notify = ["not this"]
"""

[projects."/w"]
trust_level = "trusted"
notify = "of a table"
`;

describe("notify of Codex", () => {
  it("is added above everything else, and removed without a trace", () => {
    const path = put("codex", CODEX);
    applyHooks(plan("codex"));
    const text = readFileSync(path, "utf8");
    expect(parseToml(text)).toEqual({ ...parseToml(CODEX), notify: ["rouse", "hook", "codex"] });
    expect(plan("codex").after).toBe(text);
    applyHooks(plan("codex", { remove: true }));
    expect(readFileSync(path, "utf8")).toBe(CODEX);
  });

  it.each([
    ["one line", 'notify = ["terminal-notifier", "-x"] # mine\n'],
    ["several lines", 'notify = [\n  "terminal-notifier", # mine\n  "-x",\n]\n'],
  ])("runs the previous program, written in %s, and restores it on removal", (_, statement) => {
    const text = `model = "a"\n${statement}\n[tui]\nx = 1\n`;
    const path = put("codex", text);
    applyHooks(plan("codex"));
    const installed = parseToml(readFileSync(path, "utf8"));
    expect(installed).toEqual({
      ...parseToml(text),
      notify: ["rouse", "hook", "codex", "--then", "terminal-notifier", "-x"],
    });
    expect(plan("codex").after).toBe(readFileSync(path, "utf8"));
    applyHooks(plan("codex", { remove: true }));
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("is not added to a file that is not TOML, or whose notify is not a list", () => {
    put("codex", "model = \n");
    expect(plan("codex").error).toMatch(/line 1, column \d+: not valid TOML/);
    put("codex", 'notify = "x"\n');
    expect(plan("codex").error).toContain('"notify" is no list of words');
  });

  it("of another program is not removed", () => {
    const text = 'notify = ["terminal-notifier"]\n';
    put("codex", text);
    expect(plan("codex", { remove: true }).after).toBe(text);
  });
});

describe("applyHooks", () => {
  it("keeps one backup of the original file, and its mode", () => {
    const path = put("claude-code", CLAUDE);
    const mode = statSync(path).mode;
    const backup = applyHooks(plan("claude-code"));
    expect(readFileSync(backup as string, "utf8")).toBe(CLAUDE);
    expect(applyHooks(plan("claude-code", { remove: true }))).toBeNull();
    expect(readFileSync(backup as string, "utf8")).toBe(CLAUDE);
    expect(statSync(path).mode).toBe(mode);
  });

  it("writes through a link, and keeps the link", () => {
    const path = put("claude-code", "{}");
    const real = join(home, "dotfiles.json");
    writeFileSync(real, CLAUDE);
    rmSync(path);
    symlinkSync(real, path);
    applyHooks(plan("claude-code"));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("rouse hook claude-code");
  });

  it.each(Object.keys(FILES) as (keyof typeof FILES)[])(
    "refuses a path that is not a UTF-8 text file, and names it: %s",
    (program) => {
      const path = put(program, "");
      const bytes = Buffer.from(program === "codex" ? "# f\xfcr\n" : '{ "name": "f\xfcr" }\n', "latin1");
      writeFileSync(path, bytes);
      expect(plan(program).error).toBe(`${path}: not UTF-8 text; nothing was changed`);
      expect(applyHooks(plan(program))).toBeNull();
      expect(readFileSync(path)).toEqual(bytes);
      rmSync(path);
      mkdirSync(path);
      expect(plan(program).error).toBe(`${path}: is a folder; nothing was changed`);
    },
  );

  it.each(Object.keys(FILES) as (keyof typeof FILES)[])(
    "removes a file that it created, and keeps one that existed before: %s",
    (program) => {
      const path = join(home, FILES[program]);
      applyHooks(plan(program));
      expect(plan(program, { remove: true })).toMatchObject({ after: "", isSpent: true });
      applyHooks(plan(program, { remove: true }));
      expect(existsSync(path)).toBe(false);
      const empty = program === "codex" ? "" : "{}\n";
      for (const before of [empty, program === "codex" ? "# mine\n" : "// mine\n{}\n"]) {
        put(program, before);
        applyHooks(plan(program));
        applyHooks(plan(program, { remove: true }));
        expect(readFileSync(path, "utf8").replace("{\n}", "{}")).toBe(before);
      }
    },
  );

  it("does not remove a file that was edited or linked by the user", () => {
    const path = put("gemini", "");
    rmSync(path);
    applyHooks(plan("gemini"));
    writeFileSync(path, readFileSync(path, "utf8").replace("{", '{ "theme": "dark",'));
    applyHooks(plan("gemini", { remove: true }));
    expect(readFileSync(path, "utf8")).toContain('"theme"');
    rmSync(path);
    symlinkSync(join(home, "elsewhere.json"), path);
    writeFileSync(join(home, "elsewhere.json"), plan("gemini").after);
    applyHooks(plan("gemini", { remove: true }));
    expect(existsSync(path)).toBe(true);
  });

  it("creates missing settings, and removes nothing from missing ones", () => {
    expect(plan("claude-code", { remove: true })).toMatchObject({ before: "", after: "", error: null });
    applyHooks(plan("claude-code"));
    expect(existsSync(join(home, FILES["claude-code"]))).toBe(true);
  });

  it("finds the programs that have settings", () => {
    put("codex", "");
    expect(programsInUse({ HOME: home })).toEqual(["codex"]);
  });
});
