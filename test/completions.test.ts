import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { allCommands } from "../src/cli/completions.js";
import { rouse } from "./support/rouse.js";

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
};

/** What bash offers for a line; the last word is the one that is typed. */
function offered(script: string, ...words: string[]): string[] {
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rouse; printf "%s\\n" "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", `${script}\n${ask}`, "bash", ...words], { encoding: "utf8" })
    .split("\n")
    .filter((word) => word !== "");
}

describe("rouse completions", () => {
  const script = has("bash") ? rouse(["completions", "bash"]).stdout : "";

  it.skipIf(!has("bash"))("offers in bash every command, and what follows each", async () => {
    const specs = await allCommands();
    const tops = specs.filter(({ words }) => words.length === 1).map(({ words }) => words[0] ?? "");
    expect(tops.length).toBeGreaterThan(15);
    expect(offered(script, "rouse", "")).toEqual(tops);
    expect(offered(script, "rouse", "sum")).toEqual(["summary"]);
    expect(offered(script, "rouse", "config", "")).toEqual(["show", "schema", "migrate"]);
    expect(offered(script, "rouse", "completions", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered(script, "rouse", "init", "c")).toEqual(["claude-code", "codex"]);
    for (const { words, options } of specs)
      expect(offered(script, "rouse", ...words, "-")).toEqual([...options.flatMap(({ names }) => names), "--help"]);
  });

  it.skipIf(!has("bash"))("offers in bash the values that an option has, else files", () => {
    expect(offered(script, "rouse", "health", "--filter", "")).toEqual(["unhealthy"]);
    expect(offered(script, "rouse", "replay", "--profile", "package.js")).toEqual(["package.json"]);
  });

  it.skipIf(!has("bash"))("offers in bash nothing of rouse's behind the agent's own command", () => {
    expect(offered(script, "rouse", "run", "--name", "x", "--", "claude", "--")).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"] as const)("writes a script that %s can read", (shell) => {
    const { status, stdout } = rouse(["completions", shell]);
    expect(status).toBe(0);
    expect(stdout).toContain("record");
    if (has(shell)) execFileSync(shell, ["-n", "-c", stdout]);
  });

  it("refuses a shell that it does not know", () => {
    expect(rouse(["completions", "tcsh"]).status).toBe(2);
  });
});
