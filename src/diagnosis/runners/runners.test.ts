import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANSWER_SCHEMA } from "../answer.js";
import { askRunner } from "../ask.js";
import { cageEnvironment } from "./cage.js";
import { claudeRunner } from "./claude.js";
import { endpointRunner } from "./endpoint.js";
import { commandRunner } from "./program.js";
import type { RunnerLimits } from "./runner.js";

const STAND_IN = join(import.meta.dirname, "../../../test/stand-ins/model.mjs");
let folder: string;
let notes: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-cage-"));
  notes = join(folder, "notes");
  symlinkSync(STAND_IN, join(folder, "claude"));
  chmodSync(STAND_IN, 0o755);
  Object.assign(process.env, { MODEL_NOTES: notes, ANTHROPIC_API_KEY: "sk-ant-x", GH_TOKEN: "x", ROUSE_SESSION: "s1" });
});
afterEach(() => {
  for (const name of ["MODEL_NOTES", "MODEL_PLAYS", "ANTHROPIC_API_KEY", "GH_TOKEN", "ROUSE_SESSION"])
    delete process.env[name];
  rmSync(folder, { recursive: true, force: true });
});

const limits = (more: Partial<RunnerLimits> = {}): RunnerLimits => ({
  timeoutMs: 60_000,
  totalMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});
const PROMPT = { system: "RULES", user: "STATE" };
const cage = () => ({
  folder: join(folder, "cage"),
  environment: ["MODEL_PLAYS", "MODEL_NOTES", "MODEL_PORT"],
  sandbox: false,
});
function ask(play: string, more: Partial<RunnerLimits> = {}) {
  process.env.MODEL_PLAYS = play;
  const runner = claudeRunner({
    file: join(folder, "claude"),
    model: "claude-sonnet-4-6",
    readFolder: "",
    cage: cage(),
  });
  return askRunner(runner, PROMPT, limits(more));
}
const noted = (): Record<string, never>[] =>
  readFileSync(notes, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, never>);
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("a run of Claude Code", () => {
  it("has no tools, hooks, settings or saved session, and an environment built from nothing", async () => {
    expect(await ask("right")).toMatchObject({
      reason: null,
      costUsd: 0.01,
      answer: { slack_message: "The merge lock of shop is stale." },
    });
    const [{ args, env, cwd, input }] = noted() as unknown as [
      {
        args: string[];
        env: Record<string, string>;
        cwd: string;
        input: string;
      },
    ];
    expect(input).toBe("STATE");
    for (const flag of [
      "-p",
      "--safe-mode",
      "--strict-mcp-config",
      "--no-session-persistence",
      "--disable-slash-commands",
    ])
      expect(args).toContain(flag);
    expect(args[args.indexOf("--tools") + 1]).toBe("");
    expect(args[args.indexOf("--setting-sources") + 1]).toBe("");
    expect(args[args.indexOf("--model") + 1]).toBe("claude-sonnet-4-6");
    expect(args[args.indexOf("--json-schema") + 1]).toBe(JSON.stringify(ANSWER_SCHEMA));
    expect(args.join(" ")).not.toMatch(/--bare|dangerously|skip-permissions/);
    const own = ["PATH", "HOME", "LANG", "ROUSE_INTERNAL", "ROUSE_INTERNAL_RUN", "DISABLE_AUTOUPDATER"];
    const known = [
      ...own,
      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
      "MODEL_PLAYS",
      "MODEL_NOTES",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CONFIG_DIR",
      "CODEX_HOME",
    ];
    expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([]);
    expect(env.ROUSE_INTERNAL).toBe("1");
    expect(existsSync(cwd)).toBe(false);
    expect(readdirSync(join(folder, "cage"))).toEqual([]);
  });

  it("is refused for a release without --safe-mode", async () => {
    expect((await ask("old")).reason).toMatch(/is too old for a diagnosis: it has no --safe-mode; update it$/);
    expect(existsSync(notes)).toBe(false);
  });

  it("ends at its time limit, with everything that it started", async () => {
    const { answer, reason } = await ask("hanging", { totalMs: 4000 });
    expect(answer).toBeNull();
    expect(reason).toMatch(/did not answer within \d s$/);
    const pids = noted()
      .flatMap(({ pid, child }) => [pid, child])
      .filter((pid) => pid !== undefined) as number[];
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("has its time limit from its first connection, so that a slow start costs nothing", async () => {
    const silent = createTcpServer((socket) => socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    process.env.MODEL_PORT = String((silent.address() as AddressInfo).port);
    const started = performance.now();
    const { reason } = await ask("connected", { timeoutMs: 1500 });
    silent.close();
    delete process.env.MODEL_PORT;
    expect(reason).toMatch(/did not answer within 2 s$/);
    // Not at 1.5 s, and long before the limit in all.
    expect(performance.now() - started).toBeGreaterThan(4000);
    expect(isAlive(noted()[0]?.pid as unknown as number)).toBe(false);
  });

  it.each([
    ["huge", /printed more than 256 kB$/],
    ["malformed", /^the program printed no JSON$/],
    ["invalid", /^the answer is not valid: diagnosis: /],
    ["logged_out", /Please run \/login/],
  ])("gives no opinion for an answer that is %s", async (play, reason) => {
    expect(await ask(play)).toMatchObject({ answer: null, reason: expect.stringMatching(reason) });
  });

  it("repairs an invalid answer once", async () => {
    expect(await ask("repaired")).toMatchObject({ answer: { diagnosis: "Pipeline is healthy" }, costUsd: 0.02 });
    await ask("invalid");
    expect(noted()).toHaveLength(4);
  });

  it("waits for a slow answer", async () => {
    expect(await ask("slow")).toMatchObject({ answer: { diagnosis: "Pipeline is healthy" } });
  });

  it("says that a missing program is not installed", async () => {
    const runner = claudeRunner({ file: "/nonexistent/claude", model: "", readFolder: "", cage: cage() });
    expect(await askRunner(runner, PROMPT, limits())).toMatchObject({
      reason: "/nonexistent/claude: program not found",
    });
  });
});

it("an API key reaches a program only if the user names it", () => {
  const from = { OPENAI_API_KEY: "k", PATH: "/bin", SSH_AUTH_SOCK: "s" };
  expect(Object.keys(cageEnvironment([], from))).not.toContain("OPENAI_API_KEY");
  expect(cageEnvironment(["OPENAI_API_KEY"], from)).toMatchObject({ OPENAI_API_KEY: "k", PATH: "/bin" });
});

it("a command of the user answers on standard output, with a sentence around it", async () => {
  const script =
    "process.stdin.resume().on('end', () => console.log('Here: ' + JSON.stringify({ diagnosis: 'd', actions: [] })))";
  const runner = commandRunner([process.execPath, "-e", script], cage());
  expect(await askRunner(runner, PROMPT, limits())).toMatchObject({ answer: { diagnosis: "d", actions: [] } });
});

describe("an endpoint", () => {
  let server: Server | null = null;
  afterEach(() => server?.close());
  const serve = async (status: number, body: string, headers: Record<string, string> = {}): Promise<string> => {
    server = createServer((request, response) =>
      request.resume().on("end", () => response.writeHead(status, headers).end(body)),
    );
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const asked = (url: string) => askRunner(endpointRunner({ url, model: "m", key: null }), PROMPT, limits());

  it("answers with the content of its first choice", async () => {
    const content = JSON.stringify({ diagnosis: "d", slack_message: null, actions: [] });
    expect(await asked(await serve(200, JSON.stringify({ choices: [{ message: { content } }] })))).toMatchObject({
      answer: { diagnosis: "d" },
    });
  });

  it.each([
    ["an unknown model", 404, "model 'm' not found", /answered 404: model 'm' not found$/],
    ["a huge answer", 200, "x".repeat(300_000), /sent more than 256 kB$/],
    ["another kind of server", 200, "{}", /did not answer like a chat server$/],
  ])("reports %s", async (_name, status, body, reason) => {
    expect((await asked(await serve(status, body))).reason).toMatch(reason);
  });

  it("is not followed to another host", async () => {
    expect((await asked(await serve(307, "", { location: "http://127.0.0.1:9/" }))).reason).toMatch(
      /cannot be reached/,
    );
  });

  it("that does not run is one clear error", async () => {
    expect((await asked("http://127.0.0.1:9")).reason).toMatch(/^127\.0\.0\.1:9 cannot be reached: /);
  });
});
