import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyHooks, type HookProgram, planHooks, programsInUse } from "./hooks-install.js";
import { unifiedDiff } from "./unified-diff.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-init-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const FILES: Record<HookProgram, string> = {
  "claude-code": ".claude/settings.json",
  codex: ".codex/config.toml",
  gemini: ".gemini/settings.json",
};

function put(program: HookProgram, text: string): string {
  const path = join(home, FILES[program]);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const plan = (program: HookProgram, more: { remove?: boolean; command?: string[] } = {}) =>
  planHooks(program, { command: ["rouse"], env: { HOME: home }, ...more });

const CLAUDE = `{
  // My settings.
  "model": "opus", /* dear */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // tells me
    ],
    "PreToolUse": []
  },
  "theme": "dark"
}
`;

describe("hooks of Claude Code", () => {
  it("stand beside other hooks, and every comment stays", () => {
    put("claude-code", CLAUDE);
    const { after, problem } = plan("claude-code");
    expect(problem).toBeNull();
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
      "comments in front of, beside and behind others' hooks",
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
      "commas behind the last",
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
  ])("are taken out again to the letter: %s", (_, before) => {
    const path = put("claude-code", before);
    applyHooks(plan("claude-code"));
    expect(readFileSync(path, "utf8")).toContain("rouse hook");
    expect(plan("claude-code", { remove: true }).after).toBe(before);
  });

  it("are added once, however often", () => {
    const path = put("claude-code", CLAUDE);
    applyHooks(plan("claude-code"));
    const once = readFileSync(path, "utf8");
    expect(plan("claude-code").after).toBe(once);
  });

  it("leave no copy beside a file that rouse began itself: it never was without them", () => {
    expect(applyHooks(plan("claude-code"))).toBeNull();
    expect(applyHooks(plan("claude-code", { command: ["/elsewhere/rouse"] }))).toBeNull();
    expect(applyHooks(plan("claude-code", { remove: true }))).toBeNull();
    expect(existsSync(`${plan("claude-code").path}.before-rouse`)).toBe(false);
  });

  it("follow rouse when it moves", () => {
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
    ["with Windows lines", '{\r\n  "a": 1\r\n}\r\n'],
  ])("leave no trace in settings %s when they are removed", (_, text) => {
    const path = put("claude-code", text);
    applyHooks(plan("claude-code"));
    expect(readFileSync(path, "utf8")).not.toBe(text);
    applyHooks(plan("claude-code", { remove: true }));
    expect(parseJsonc(readFileSync(path, "utf8"))).toEqual(parseJsonc(text));
    expect(readFileSync(path, "utf8").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  });

  it("are taken out of settings that hold what we do not know", () => {
    const text = '{"hooks":{"enabled":true,"Other":[null,3,{"hooks":"x"},{"hooks":[null]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true })).toMatchObject({ after: text, problem: null });
  });

  it("of others that only look like ours are not removed", () => {
    const text =
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"arouse hook claude-code"},{"type":"command","command":"rouse hook claude-code --mine"}]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true }).after).toBe(text);
  });

  it.each([
    ['{ "a": 1,, }', "line 1, column 10: this is no JSON"],
    ['{\n  "hooks": {', "line 2, column 13: this is no JSON"],
    ["[]", "an object was expected at the top"],
    ['{"hooks": []}', '"hooks" is no object'],
    ['{"hooks": {"Stop": ["x"]}}', '"hooks.Stop" is no list of hooks'],
    ['{"hooks": {"Stop": {}}}', '"hooks.Stop" is no list of hooks'],
  ])("are not put into %j", (text, problem) => {
    const path = put("claude-code", text);
    const found = plan("claude-code");
    expect(found.problem).toContain(problem);
    expect(found.problem).toContain("nothing was changed");
    applyHooks(found);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("quote a path that a shell would take apart", () => {
    const { after } = plan("claude-code", { command: ["/my tools/it's/bin/rouse"] });
    expect(after).toContain(JSON.stringify("'/my tools/it'\\''s/bin/rouse' hook claude-code"));
  });
});

describe("hooks of Gemini CLI", () => {
  it("are put into its settings and taken out again", () => {
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
  ])("runs the program that was there before in %s, and gives its place back", (_, statement) => {
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

  it("is not put into a file that is no TOML, or whose notify is no list", () => {
    put("codex", "model = \n");
    expect(plan("codex").problem).toMatch(/line 1, column \d+: this is no TOML/);
    put("codex", 'notify = "x"\n');
    expect(plan("codex").problem).toContain('"notify" is no list of words');
  });

  it("of somebody else is not removed", () => {
    const text = 'notify = ["terminal-notifier"]\n';
    put("codex", text);
    expect(plan("codex", { remove: true }).after).toBe(text);
  });
});

describe("applyHooks", () => {
  it("keeps the file as it was, once, and its mode", () => {
    const path = put("claude-code", CLAUDE);
    const mode = statSync(path).mode;
    const backup = applyHooks(plan("claude-code"));
    expect(readFileSync(backup as string, "utf8")).toBe(CLAUDE);
    expect(applyHooks(plan("claude-code", { remove: true }))).toBeNull();
    expect(readFileSync(backup as string, "utf8")).toBe(CLAUDE);
    expect(statSync(path).mode).toBe(mode);
  });

  it("writes through a link, and leaves the link", () => {
    const path = put("claude-code", "{}");
    const real = join(home, "dotfiles.json");
    writeFileSync(real, CLAUDE);
    rmSync(path);
    symlinkSync(real, path);
    applyHooks(plan("claude-code"));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("rouse hook claude-code");
  });

  it.each(Object.keys(FILES) as HookProgram[])(
    "refuses what is no UTF-8 text or no file, with its path: %s",
    (program) => {
      const path = put(program, "");
      const bytes = Buffer.from(program === "codex" ? "# f\xfcr\n" : '{ "name": "f\xfcr" }\n', "latin1");
      writeFileSync(path, bytes);
      expect(plan(program).problem).toBe(`${path}: it is no UTF-8 text; nothing was changed`);
      expect(applyHooks(plan(program))).toBeNull();
      expect(readFileSync(path)).toEqual(bytes);
      rmSync(path);
      mkdirSync(path);
      expect(plan(program).problem).toBe(`${path}: it is a folder; nothing was changed`);
    },
  );

  it.each(Object.keys(FILES) as HookProgram[])(
    "takes away a file that it began, and leaves one that was there: %s",
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

  it("takes no file away that somebody wrote into, or linked there", () => {
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

  it("begins settings that are not there, and removes nothing from none", () => {
    expect(plan("claude-code", { remove: true })).toMatchObject({ before: "", after: "", problem: null });
    applyHooks(plan("claude-code"));
    expect(existsSync(join(home, FILES["claude-code"]))).toBe(true);
  });

  it("knows whose settings are here", () => {
    put("codex", "");
    expect(programsInUse({ HOME: home })).toEqual(["codex"]);
  });
});

describe("unifiedDiff", () => {
  it("shows what changes with its surroundings", () => {
    const lines = Array.from({ length: 12 }, (_, i) => `l${i}`);
    const after = [...lines.slice(0, 2), "new", ...lines.slice(3, 11), "end", "l11"];
    expect(unifiedDiff("f", `${lines.join("\n")}\n`, `${after.join("\n")}\n`)).toBe(
      "--- f\n+++ f\n@@ -1,6 +1,6 @@\n l0\n l1\n-l2\n+new\n l3\n l4\n l5\n@@ -9,4 +9,5 @@\n l8\n l9\n l10\n+end\n l11\n",
    );
  });

  it("is empty for the same text, and whole for a new one", () => {
    expect(unifiedDiff("f", "a\n", "a\n")).toBe("");
    expect(unifiedDiff("f", "", "a\nb\n")).toBe("--- f\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  });
});

describe("hooks that post", () => {
  const http = { port: 17_687, key: "k".repeat(43) };
  const posted = (more: object = {}) =>
    planHooks("claude-code", { command: ["rouse"], env: { HOME: home }, http, ...more });

  interface Hooks {
    hooks: Record<string, { hooks: { type: string; url?: string; command?: string; headers?: object }[] }[]>;
  }

  it("carry the key and the session, and leave to the command what is never posted", () => {
    put("claude-code", CLAUDE);
    const { hooks } = parseJsonc(posted().after) as Hooks;
    expect(hooks.Stop?.[0]?.hooks).toEqual([
      {
        type: "http",
        url: "http://127.0.0.1:17687/v1/hooks/claude-code",
        timeout: 5,
        headers: { Authorization: `Bearer ${http.key}`, "x-rouse-session": "$ROUSE_SESSION" },
        allowedEnvVars: ["ROUSE_SESSION"],
      },
    ]);
    expect(hooks.SessionStart?.[0]?.hooks).toMatchObject([{ type: "command", command: "rouse hook claude-code" }]);
    for (const kept of ["// My settings.", "// tells me", "say done"]) expect(posted().after).toContain(kept);
  });

  it("take the place of commands and give it back, follow the port and the key, and leave no trace", () => {
    // An empty list is not told from one that only held ours.
    const text = CLAUDE.replace('"PreToolUse": []', '"Other": []');
    const path = put("claude-code", text);
    applyHooks(plan("claude-code"));
    const commands = readFileSync(path, "utf8");
    applyHooks(posted());
    expect(posted().after).toBe(readFileSync(path, "utf8"));
    applyHooks(posted({ http: { port: 4000, key: "n".repeat(43) } }));
    const moved = readFileSync(path, "utf8");
    expect(moved).not.toContain("17687");
    expect(moved).not.toContain(http.key);
    expect(parseJsonc(plan("claude-code").after)).toEqual(parseJsonc(commands));
    applyHooks(plan("claude-code", { remove: true }));
    expect(readFileSync(path, "utf8").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  });

  it.each(["codex", "gemini"] as const)("are not put into %s, which has none", (program) => {
    expect(planHooks(program, { command: ["rouse"], env: { HOME: home }, http }).after).toBe(plan(program).after);
  });

  it("of others are not removed", () => {
    const text = '{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:80/v1/hooks/claude-code/x"}]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true }).after).toBe(text);
  });
});
