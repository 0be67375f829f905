import { readFileSync } from "node:fs";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { CLAUDE, home, plan, put } from "../../test/support/hook-settings.js";
import { applyHooks, planHooks } from "./hooks-install.js";

describe("hooks that post", () => {
  const http = { port: 17_687, key: "k".repeat(43) };
  const posted = (more: object = {}) =>
    planHooks("claude-code", { command: ["rouse"], env: { HOME: home }, http, ...more });

  interface Hooks {
    hooks: Record<string, { hooks: { type: string; url?: string; command?: string; headers?: object }[] }[]>;
  }

  it("contain the key and the session, and leave to the command what is never posted", () => {
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

  it("replace commands and are replaced by them, follow the port and the key, and leave no trace", () => {
    // An empty list looks the same as one that contained only ours.
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

  it.each(["codex", "gemini"] as const)("are not added for %s, which does not support them", (program) => {
    expect(planHooks(program, { command: ["rouse"], env: { HOME: home }, http }).after).toBe(plan(program).after);
  });

  it("of other programs are not removed", () => {
    const text = '{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:80/v1/hooks/claude-code/x"}]}]}}';
    put("claude-code", text);
    expect(plan("claude-code", { remove: true }).after).toBe(text);
  });
});
