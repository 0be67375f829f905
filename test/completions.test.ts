import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { BIN, closeHome, makeHome, TestTerminal, until } from "./support/hosts.js";
import { rouse } from "./support/rouse.js";

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
};

/** The completions of bash for a line; its last word is being typed. */
const ASK = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rouse; printf "%s\\n" "\${COMPREPLY[@]}"`;
const bash = (script: string, words: readonly string[]): string[] => [
  "--norc",
  "-c",
  `${script}\n${ASK}`,
  "bash",
  ...words,
];
const wordsOf = (said: string): string[] => said.split("\n").filter((word) => word !== "");

const offered = (script: string, ...words: string[]): string[] =>
  wordsOf(execFileSync("bash", bash(script, words), { encoding: "utf8" }));

/** The same while this process answers as the daemon. */
async function offeredBy(env: NodeJS.ProcessEnv, script: string, ...words: string[]): Promise<string[]> {
  return wordsOf((await promisify(execFile)("bash", bash(script, words), { encoding: "utf8", env })).stdout);
}

describe("rouse completions", () => {
  const script = has("bash") ? rouse(["completions", "bash"]).stdout : "";

  it.skipIf(!has("bash"))("completes every command in bash, and the arguments of each", async () => {
    const specs = await allCommands(COMMANDS);
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

  it.skipIf(!has("bash"))("completes the values of an option in bash, else files", () => {
    expect(offered(script, "rouse", "health", "--filter", "")).toEqual(["unhealthy"]);
    expect(offered(script, "rouse", "replay", "--profile", "package.js")).toEqual(["package.json"]);
  });

  it.skipIf(!has("bash"))("completes running agents in bash, except names that a shell would split", async () => {
    const home = makeHome();
    const ran = join(home.path, "ran");
    const names = ["web", "監視", `$(touch ${ran})`, "`x`", "two words", "-f"];
    const server = createServer((_, answer) =>
      answer.end(JSON.stringify({ answer: { agents: names.map((name) => ({ name })) } })),
    );
    mkdirSync(join(home.path, "run"));
    await new Promise<void>((resolve) => server.listen(join(home.path, "run", "daemon.sock"), resolve));
    const asked = (words: string[]) => offeredBy(home.env, script, BIN, ...words);
    expect(await asked(["why", ""])).toEqual(["web", "監視"]);
    expect(await asked(["feedback", "w"])).toEqual(["web"]);
    expect(await asked(["why", "--j"])).toEqual(["--json"]);
    expect(await asked(["token", "revoke", "w"])).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
    expect(existsSync(ran)).toBe(false);
    expect(await asked(["why", ""])).toEqual([]);
    expect(await closeHome(home)).toMatchObject({ processes: [] });
  });

  it.skipIf(!has("bash"))("completes nothing of rouse after the agent's own command in bash", () => {
    expect(offered(script, "rouse", "run", "--name", "x", "--", "claude", "--")).toEqual([]);
  });

  it.skipIf(!has("fish"))("completes arguments, files and the agent's own command in fish", async () => {
    const fish = rouse(["completions", "fish"]).stdout;
    const offers = (line: string): string[] => {
      const script = `${fish}\ncomplete -C ${JSON.stringify(line)}`;
      const said = execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8" });
      return said.split("\n").flatMap((row) => (row === "" ? [] : [row.split("\t")[0] ?? ""]));
    };
    const specs = await allCommands(COMMANDS);
    const tops = specs.filter(({ words }) => words.length === 1).map(({ words }) => words[0] ?? "");
    expect(offers("rouse ")).toEqual(tops.toSorted());
    expect(offers("rouse config ")).toEqual(["migrate", "schema", "show"]);
    expect(offers("rouse completions ")).toEqual(["bash", "fish", "zsh"]);
    expect(offers("rouse health --filter ")).toEqual(["unhealthy"]);
    // Neither the options of the parent command, nor arguments of a word that only has the name of a command.
    expect(offers("rouse messages send --")).toEqual(["--help", "--payload", "--tag", "--type"]);
    expect(offers("rouse stop config sh")).toEqual([]);
    expect(offers("rouse replay package.js")).toEqual(["package.json"]);
    expect(offers("rouse run --name x -- cat package.js")).toEqual(["package.json"]);
    expect(offers("rouse run --name x -- rouse summ")).toEqual(["summary"]);
  });

  it.skipIf(!has("zsh"))("completes in zsh, from fpath and sourced, also the agent's own command", async () => {
    const home = makeHome();
    const zsh = rouse(["completions", "zsh"]).stdout;
    writeFileSync(join(home.path, "_rouse"), zsh);
    // The line in zsh's buffer, printed on a key: what zsh draws depends on the typing speed.
    const lines = join(home.path, "lines");
    const keep = `keep() { print -r -- "$BUFFER" >> ${lines}; BUFFER=; }; zle -N keep; bindkey '^G' keep;`;
    const begin = `PS1='ready> '; unsetopt BEEP; ${keep} autoload -Uz compinit; compinit -u -D;`;
    const completed = [
      ["rouse summ", "rouse summary "],
      ["rouse config mi", "rouse config migrate "],
      ["rouse health --filter u", "rouse health --filter unhealthy "],
      ["rouse run --name x -- rouse compl", "rouse run --name x -- rouse completions "],
    ];
    const ways = [`fpath=("$ROUSE_HOME" $fpath); ${begin}`, `${begin} source "$ROUSE_HOME/_rouse"`];
    for (const way of ways) {
      writeFileSync(lines, "");
      writeFileSync(join(home.path, ".zshrc"), way);
      const shell = new TestTerminal({ ...home, env: { ...home.env, ZDOTDIR: home.path } }, ["zsh", "-d", "-i"]);
      await shell.shows("ready> ");
      for (const [typed] of completed) shell.write(`${typed}\t\u0007`);
      await until("all lines", () => readFileSync(lines, "utf8").split("\n").length > completed.length, 60_000);
      expect(readFileSync(lines, "utf8")).toBe(completed.map(([, whole]) => `${whole}\n`).join(""));
      shell.write("exit\r");
      await shell.exited;
    }
    expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
  });

  it.each(["bash", "zsh", "fish"] as const)("writes a script that %s can read", (shell) => {
    const { status, stdout } = rouse(["completions", shell]);
    expect(status).toBe(0);
    expect(stdout).toContain("record");
    if (has(shell)) execFileSync(shell, ["-n", "-c", stdout]);
  });

  it("refuses an unknown shell", () => {
    expect(rouse(["completions", "tcsh"]).status).toBe(2);
  });
});
