/** Runs a command of rouse in this process and returns what a terminal of this width would show. */
import { vi } from "vitest";

export interface TerminalSize {
  columns: number;
  colour: boolean;
}

class Exited extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exited with ${code}`);
    this.code = code;
  }
}

/** Both streams in the order of writing; the last line names the exit code, unless it is 0. */
export async function captureCli(args: readonly string[], { columns, colour }: TerminalSize): Promise<string> {
  let text = "";
  const take = (part: string | Uint8Array): boolean => {
    text += typeof part === "string" ? part : Buffer.from(part).toString();
    return true;
  };
  const undo = [process.stdout, process.stderr].map((stream) => {
    const spy = vi.spyOn(stream, "write").mockImplementation(take as never);
    const listeners = stream.listeners("error");
    const before = { isTTY: stream.isTTY, columns: stream.columns };
    Object.assign(stream, { isTTY: true, columns });
    return () => {
      spy.mockRestore();
      Object.assign(stream, before);
      for (const added of stream.listeners("error"))
        if (!listeners.includes(added)) stream.off("error", added as never);
    };
  });
  const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Exited(Number(code ?? 0));
  });
  vi.stubEnv("NO_COLOR", colour ? "" : "1");
  vi.stubEnv("TERM", "xterm-256color");
  vi.stubEnv("FORCE_COLOR", undefined);
  try {
    const code = await run(args).catch((error: unknown) => {
      if (error instanceof Exited) return error.code;
      throw error;
    });
    text = text.replace(ERASED, "$1");
    return `$ rouse ${args.map(quoted).join(" ")}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${code === 0 ? "" : `exit ${code}\n`}`;
  } finally {
    exit.mockRestore();
    for (const restore of undo) restore();
  }
}

/** A progress line, and the codes that erase it. */
const ERASED = /(^|\n)[^\n]*\r\u001b\[2K/g;

/** As `bin/rouse` chooses. */
async function run(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === "report" && rest[0] !== "--help")
    return (await import("../../src/cli/commands/report.js")).runReport(rest);
  if (first === "status" && rest.includes("--line"))
    return (await import("../../src/cli/commands/status-line.js")).runStatusLine(rest);
  return (await import("../../src/cli/command-line.js")).runCommandLine(args);
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);
