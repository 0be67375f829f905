/**
 * Classifies a shell command: it runs a test, builds, sleeps, never ends, waits for a user's keys. The class decides
 * how long the tool that runs it may stay open; the head is the name under which its durations are learned.
 *
 * Commands come wrapped (`bash -lc '…'`, `cd x && …`, `FOO=1 timeout 60 …`, pipes); the wrapping is removed and the
 * weightiest of the programs in the foreground decides.
 */
import type { ToolClass } from "../../core/signal.js";
import {
  INTERPRETERS,
  MULTI_HEADS,
  OPTIONS_WITH_VALUE,
  PREFIXES,
  QUICK_HEADS,
  RUNNERS,
  rulesOf,
  SHELLS,
} from "./command-rules.js";
import { type SimpleCommand, simpleCommands } from "./shell-words.js";

export interface CommandReading {
  class: ToolClass;
  /** The program and its subcommand, if it has one: "npm test", "git commit", "slow_test.py". */
  head: string;
  /** The duration that the command itself states: `timeout 60`, `sleep 30`. */
  timeoutMs?: number;
  background?: boolean;
}

/** One program of the command. */
interface Part {
  class: ToolClass;
  head: string;
  quick: boolean;
  background: boolean;
  limitMs?: number;
  sleepMs?: number;
}

const DEPTH_MAX = 4;
const HEAD_MAX = 80;
const ARGS_MAX = 1000;
const UNIT_MS: Record<string, number> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Among several programs, the one to wait for. A sleep beside anything slow does not decide. */
const WEIGHT: Partial<Record<ToolClass, number>> = {
  interactive: 6,
  endless: 5,
  test: 4,
  build: 3,
  shell: 2,
  sleep: 1,
};

/** Classifies a command line, or a list of words as `execve` takes it. */
export function classifyCommand(command: string | readonly string[], depth = 0): CommandReading {
  const commands: SimpleCommand[] =
    typeof command === "string"
      ? simpleCommands(command)
      : [{ words: command.slice(0, 64), fed: false, pipes: false, background: false }];
  const parts = commands.map((simple, i) => partOf(simple, commands[i + 1], depth));
  const loop = loopOf(commands);
  const isBackground = (part: Part): boolean => part.background;
  const foreground = parts.filter((part) => !part.background);
  const main = heaviest(foreground) ?? heaviest(parts);
  if (main === null) return { class: "shell", head: "" };
  if (parts.some(isBackground) && foreground.every((part) => part.quick)) {
    const behind = heaviest(parts.filter(isBackground)) ?? main;
    return { class: "shell", head: behind.head, background: true };
  }
  const sleeps = foreground.filter((part) => part.sleepMs !== undefined);
  if (loop !== null && weightOf(main) <= 5 && (loop === "endless" || sleeps.length > 0 || loop === "poll")) {
    return { class: loop === "endless" ? "endless" : "sleep", head: main.head };
  }
  const reading: CommandReading = { class: main.class, head: main.head };
  const others = foreground.filter((part) => part !== main && !part.quick && part.sleepMs === undefined);
  const own = main.limitMs ?? main.sleepMs;
  if (own !== undefined && others.length === 0) {
    reading.timeoutMs = sleeps.reduce((sum, part) => (part === main ? sum : sum + (part.sleepMs ?? 0)), own);
  }
  // A time-out ends a command that would not end by itself.
  if (reading.class === "endless" && main.limitMs !== undefined) reading.class = "shell";
  return reading;
}

function weightOf(part: Part): number {
  return part.quick ? 0 : (WEIGHT[part.class] ?? 2);
}

/** Of equal weight, the first; but a `cd` never decides. */
function heaviest(parts: readonly Part[]): Part | null {
  let best: Part | null = null;
  for (const part of parts) if (best === null || weightOf(part) > weightOf(best) || best.head === "cd") best = part;
  return best;
}

/** `while true` without a way out never ends; any other loop around a wait is a poll. */
function loopOf(commands: readonly SimpleCommand[]): "endless" | "poll" | "other" | null {
  const firsts = commands.map(({ words }) => words.join(" "));
  const start = firsts.find((text) => /^(?:while|until|for)\b/.test(text));
  if (start === undefined) return null;
  const leaves = firsts.some((text) => /(?:^|\s)(?:break|exit|return)\b/.test(text));
  if (/^(?:while (?:true|:|1|\[ (?:1|true) \])|for ;;)/.test(start)) return leaves ? "poll" : "endless";
  return /^until\b|^while !/.test(start) ? "poll" : "other";
}

function partOf(simple: SimpleCommand, next: SimpleCommand | undefined, depth: number): Part {
  const { words, limitMs, behind, asRoot, editorSet } = unwrap(simple.words);
  const [program = "", ...args] = words;
  const name = baseName(program);
  const background = simple.background || behind;
  const limit = limitMs === undefined ? {} : { limitMs };
  const script = SHELLS.has(name) ? scriptOf(args) : null;
  if (script !== null && depth < DEPTH_MAX) {
    const inner = classifyCommand(script, depth + 1);
    const wait = inner.class === "sleep" ? { sleepMs: inner.timeoutMs ?? 0 } : {};
    const own =
      inner.timeoutMs === undefined || inner.class === "sleep" ? limit : { limitMs: inner.timeoutMs, ...limit };
    const quick = inner.class === "shell" && QUICK_HEADS.has(inner.head);
    return { ...inner, quick, background: background || inner.background === true, ...wait, ...own };
  }
  const [head, rest] = headOf(name, args);
  const joined = rest.join(" ").slice(0, ARGS_MAX);
  let found = classOf(name, args, head, joined, simple.fed);
  // `tail -f log | head -1` ends with its reader.
  if (
    found === "endless" &&
    simple.pipes &&
    next &&
    /^(?:head|grep .*-\w*[mq]|timeout|sed \S*q)/.test(next.words.join(" "))
  )
    found = "shell";
  if (found === "interactive" && name === "git" && (editorSet || args.some((word) => word.startsWith("core.editor="))))
    found = "shell";
  if (found === "shell" && asRoot && !simple.fed) found = "interactive";
  // An assignment alone starts no program.
  const isInstant = name === "" || QUICK_HEADS.has(name) || name === "git";
  const quick = found === "shell" && isInstant && limitMs === undefined;
  const sleepMs = name === "sleep" && found === "sleep" ? sleepOf(args) : undefined;
  return {
    class: found,
    head: head.slice(0, HEAD_MAX),
    quick,
    background,
    ...limit,
    ...(sleepMs === undefined ? {} : { sleepMs }),
  };
}

function classOf(name: string, args: readonly string[], head: string, rest: string, fed: boolean): ToolClass {
  if (/^ssh$/.test(name) && !args.some((word) => /^-\w*N/.test(word))) return remoteClass(args, fed);
  const own = (MULTI_HEADS.has(name) ? skipOptions(args) : args).join(" ").slice(0, ARGS_MAX);
  for (const [known, text] of head === name ? [[name, own] as const] : [[head, rest] as const, [name, own] as const]) {
    const rule = rulesOf(known).find(
      ({ args: wanted, not, unfed }) => !(unfed && fed) && (wanted?.test(text) ?? true) && !not?.test(text),
    );
    if (rule) return rule.class;
  }
  if (/^(?:server|serve|dev-server)\.\w{2,3}$/.test(head)) return "endless";
  return /[_.-](?:tests?|specs?)(?:[_.-]|$)|^(?:tests?|specs?)[_.-]/i.test(head) ? "test" : "shell";
}

/** ssh without a command opens a remote shell; with one it takes as long as that command. */
function remoteClass(args: readonly string[], fed: boolean): ToolClass {
  let i = 0;
  for (; i < args.length && args[i]?.startsWith("-"); i++) if (/^-[bcDEeFIiJLlmOopQRSWw]$/.test(args[i] as string)) i++;
  return i + 1 >= args.length && !fed ? "interactive" : "shell";
}

interface Unwrapped {
  words: string[];
  limitMs?: number;
  /** nohup or setsid. */
  behind: boolean;
  asRoot: boolean;
  editorSet: boolean;
}

/** Removes assignments, `sudo`, `timeout 60`, `npx`, `uv run` and similar wrappers. */
function unwrap(given: readonly string[]): Unwrapped {
  let words = [...given];
  const seen: Unwrapped = { words, behind: false, asRoot: false, editorSet: false };
  for (let n = 0; n < 16 && words.length > 0; n++) {
    const first = words[0] as string;
    const name = baseName(first);
    if (/^[A-Za-z_]\w*\+?=/.test(first)) {
      if (/EDITOR=/.test(first)) seen.editorSet = true;
      words = words.slice(1);
    } else if (name === "timeout" || name === "gtimeout") {
      words = skipOptions(words.slice(1));
      const limit = durationOf(words[0] ?? "");
      if (limit === null) break;
      seen.limitMs = limit;
      words = words.slice(1);
    } else if (name === "sudo" || name === "doas") {
      if (words.length === 1) break;
      const options = words.slice(1).filter((word) => /^-\w*[nSA]/.test(word));
      seen.asRoot ||= options.length === 0;
      words = skipOptions(words.slice(1));
    } else if (PREFIXES.has(name) && words.length > 1) {
      if (name === "nohup" || name === "setsid") seen.behind = true;
      words = skipOptions(words.slice(1));
    } else if (words.length > 2 && RUNNERS.has(`${name} ${words[1]}`)) {
      words = skipOptions(words.slice(2));
    } else break;
  }
  return { ...seen, words };
}

function skipOptions(words: readonly string[]): string[] {
  let i = 0;
  while (i < words.length && (words[i] as string).startsWith("-") && words[i] !== "-") {
    i += OPTIONS_WITH_VALUE.has(words[i] as string) ? 2 : 1;
  }
  return words.slice(i);
}

/** The name of a program, and the remaining arguments: the script of an interpreter, a subcommand. */
function headOf(name: string, args: readonly string[]): [head: string, rest: string[]] {
  if (INTERPRETERS.has(name)) {
    const script = args.find((word) => !word.startsWith("-"));
    const isFile = script !== undefined && /[./\\]/.test(script) && !/\s/.test(script);
    if (isFile && !args.some((word) => /^-[ce]$/.test(word)))
      return [baseName(script), args.slice(args.indexOf(script) + 1)];
  }
  if (MULTI_HEADS.has(name)) {
    const rest = skipOptions(args);
    const sub = rest[0];
    if (sub !== undefined && /^[\w:.-]{1,32}$/.test(sub)) {
      const target = sub === "run" && rest[1] !== undefined && /^[\w:.-]{1,32}$/.test(rest[1]) ? ` ${rest[1]}` : "";
      return [`${name} ${sub}${target}`, rest.slice(1)];
    }
  }
  return [name, [...args]];
}

function baseName(program: string): string {
  const last = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  return (last || program).replace(/\.exe$/i, "").slice(0, HEAD_MAX);
}

/** The text after `-c`, `-lc`, `/c`, `-Command`. */
function scriptOf(args: readonly string[]): string | null {
  const at = args.findIndex((word) => /^(?:-[a-z]*c|\/c|-Command)$/.test(word));
  return at < 0 ? null : (args[at + 1] ?? null);
}

function durationOf(word: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,4})?)([smhd]?)$/.exec(word);
  return match ? Math.round(Number(match[1]) * (UNIT_MS[match[2] ?? ""] as number)) : null;
}

function sleepOf(args: readonly string[]): number | undefined {
  const parts = args.map(durationOf).filter((ms) => ms !== null);
  return parts.length === 0 ? undefined : parts.reduce((sum, ms) => sum + ms, 0);
}
