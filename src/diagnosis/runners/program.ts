/** Other model programs, in the same cage: the prompt on standard input, the answer on standard output or in a file. */
import { type Cage, type CagedProgram, failureOf, noAnswer, runInCage } from "./cage.js";
import type { Runner, RunnerRequest } from "./runner.js";

interface ProgramKind {
  /** The agent program whose sessions it counts among. */
  program: string | null;
  /** With its login. */
  login: CagedProgram["login"];
  call: (request: RunnerRequest, model: string) => CagedProgram;
  /** The text of the answer, or the answer itself. */
  answerOf: (text: string) => unknown;
}

const inputOf = ({ system, user }: RunnerRequest): string => `${system}\n\n${user}`;
const modelArgs = (model: string): string[] => (model === "" ? [] : ["-m", model]);

/** None of them can be started without tools: their read-only modes may read files, so they run in a sandbox. */
const PROGRAMS: Readonly<Record<"codex" | "gemini" | "opencode", ProgramKind>> = {
  codex: {
    program: "codex",
    login: ({ CODEX_HOME = ".codex" }) => [CODEX_HOME],
    call: (request, model) => ({
      argv: [
        "codex",
        "exec",
        "-",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "-s",
        "read-only",
        "--skip-git-repo-check",
        "--color",
        "never",
        "--output-schema",
        "schema.json",
        "-o",
        "answer.json",
        ...modelArgs(model),
      ],
      input: inputOf(request),
      files: { "schema.json": JSON.stringify(request.schema) },
      answerFile: "answer.json",
    }),
    answerOf: (text) => text,
  },
  gemini: {
    program: "gemini",
    login: () => [".gemini"],
    call: (request, model) => ({
      argv: [
        "gemini",
        "-p",
        "",
        "--approval-mode",
        "plan",
        "-o",
        "json",
        "-e",
        "none",
        "--allowed-mcp-server-names",
        "__none__",
        "--skip-trust",
        ...modelArgs(model),
      ],
      input: inputOf(request),
    }),
    answerOf: (text) => fieldOf(text, "response") ?? text,
  },
  opencode: {
    program: "opencode",
    login: () => [".local/share/opencode", ".config/opencode"],
    call: (request, model) => ({
      argv: ["opencode", "run", "--pure", "--format", "json", "--agent", "rouse-diagnose", ...modelArgs(model)],
      input: inputOf(request),
      files: { "opencode.json": JSON.stringify({ agent: { "rouse-diagnose": { permission: { "*": "deny" } } } }) },
    }),
    answerOf: (text) =>
      text
        .split("\n")
        .map((line) => fieldOf(line, "part"))
        .flatMap((part) => (isText(part) ? part.text : []))
        .at(-1) ?? text,
  },
};

export const programRunner = (name: keyof typeof PROGRAMS, model: string, cage: Cage): Runner =>
  makeRunner(name, PROGRAMS[name], model, cage);

/** Any command of the user: it prints the answer as JSON. */
export const commandRunner = (argv: readonly [string, ...string[]], cage: Cage): Runner =>
  makeRunner(
    "command",
    {
      program: null,
      login: () => [],
      call: (request) => ({ argv, input: inputOf(request) }),
      answerOf: (text) => text,
    },
    "",
    cage,
  );

const makeRunner = (
  name: string,
  { program, login, call, answerOf }: ProgramKind,
  model: string,
  cage: Cage,
): Runner => ({
  name,
  program,
  run: async (request, limits) => {
    const ran = await runInCage({ ...call(request, model), hasTools: true, ...(login ? { login } : {}) }, cage, limits);
    const failed = failureOf(ran);
    return failed === null
      ? { answer: answerOf(ran.text), costUsd: null, tookMs: ran.tookMs }
      : noAnswer(failed, ran.tookMs);
  },
});

function fieldOf(text: string, name: string): unknown {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}

const isText = (part: unknown): part is { text: string } =>
  typeof part === "object" && part !== null && typeof (part as { text?: unknown }).text === "string";
