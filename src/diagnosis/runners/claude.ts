/**
 * Claude Code, once, without tools, hooks, MCP servers, saved sessions or settings. Measured with 2.1.325: without
 * `--safe-mode` hooks of the project and the user run and MCP servers start, so a version without it is refused. `--bare`
 * never reads OAuth, and an API key beside a login is used silently.
 */
import { forOutput } from "../../core/text/for-output.js";
import { type Cage, failureOf, noAnswer, runInCage } from "./cage.js";
import type { Runner, RunnerLimits, RunnerRequest, RunnerResult } from "./runner.js";

/** Without one of these a run would not be isolated, or its answer not bounded. */
const REQUIRED = [
  "--safe-mode",
  "--tools",
  "--strict-mcp-config",
  "--setting-sources",
  "--no-session-persistence",
  "--disable-slash-commands",
  "--system-prompt",
  "--max-budget-usd",
  "--output-format",
  "--json-schema",
] as const;
const PERMISSION_PROMPTS = "--permission-prompts";
const RUN_COST_USD = 0.25;
const HELP_MS = 30_000;

export interface ClaudeOptions {
  file: string;
  model: string;
  /** A folder whose files the model may read; empty for none. */
  readFolder: string;
  cage: Cage;
}

export function claudeRunner({ file, model, readFolder, cage }: ClaudeOptions): Runner {
  const run = async (request: RunnerRequest, limits: RunnerLimits): Promise<RunnerResult> => {
    const started = performance.now();
    const help = await runInCage({ argv: [file, "--help"], input: "" }, cage, {
      ...limits,
      timeoutMs: HELP_MS,
      totalMs: HELP_MS,
    });
    const failed = failureOf(help);
    if (failed !== null) return noAnswer(failed, help.tookMs);
    const missing = REQUIRED.filter((flag) => !hasFlag(help.text, flag));
    if (missing.length > 0)
      return noAnswer(
        `this release of ${file} is too old for a diagnosis: it has no ${missing.join(", ")}; update it`,
        help.tookMs,
      );
    const left = limits.totalMs - (performance.now() - started);
    const argv = argumentsOf(file, { model, readFolder, request, hasPrompts: hasFlag(help.text, PERMISSION_PROMPTS) });
    const ran = await runInCage({ argv, input: request.user }, cage, { ...limits, totalMs: Math.max(1000, left) });
    return readResult(ran.text, failureOf(ran), ran.tookMs);
  };
  return { name: "claude", program: "claude-code", run };
}

const hasFlag = (help: string, flag: string): boolean => new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(help);

interface Call {
  model: string;
  readFolder: string;
  request: RunnerRequest;
  hasPrompts: boolean;
}

const argumentsOf = (file: string, { model, readFolder, request, hasPrompts }: Call): [string, ...string[]] => [
  file,
  "-p",
  "--safe-mode",
  "--tools",
  readFolder === "" ? "" : "Read,Grep,Glob",
  ...(readFolder === "" ? [] : ["--add-dir", readFolder]),
  "--strict-mcp-config",
  "--setting-sources",
  "",
  "--no-session-persistence",
  "--disable-slash-commands",
  ...(hasPrompts ? [PERMISSION_PROMPTS, "none"] : []),
  ...(model === "" ? [] : ["--model", model]),
  "--max-budget-usd",
  String(RUN_COST_USD),
  "--system-prompt",
  request.system,
  "--output-format",
  "json",
  "--json-schema",
  JSON.stringify(request.schema),
];

interface ClaudeResult {
  is_error?: boolean;
  subtype?: string;
  result?: unknown;
  structured_output?: unknown;
  total_cost_usd?: number;
}

function readResult(text: string, failed: string | null, tookMs: number): RunnerResult {
  let found: ClaudeResult;
  try {
    found = JSON.parse(text) as ClaudeResult;
  } catch {
    return noAnswer(failed ?? "the program printed no JSON", tookMs);
  }
  if (typeof found !== "object" || found === null) return noAnswer(failed ?? "the program printed no result", tookMs);
  const costUsd = typeof found.total_cost_usd === "number" ? found.total_cost_usd : null;
  // A model that is unknown and a login that is missing arrive here as the text of the result.
  if (found.is_error === true || failed !== null)
    return noAnswer(
      forOutput(typeof found.result === "string" ? found.result : (failed ?? found.subtype ?? "error")),
      tookMs,
      costUsd,
    );
  return { answer: found.structured_output ?? found.result, costUsd, tookMs };
}
