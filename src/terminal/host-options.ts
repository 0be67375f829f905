/** The description of an agent for its host, and the dependencies of the host. */
import type { RousePaths } from "../config/paths.js";
import type { HeldTerminal } from "./hand.js";
import type { PixelSize, PtyEvents, PtyOptions } from "./pty.js";

export interface HostSpec {
  name: string;
  /** The user's choice; null to use the program's name. */
  kind: string | null;
  tags: string[];
  task: string | null;
  policy: string | null;
  command: string[];
  workspace: string;
  origin: "run" | "spawn";
}

/** The program that a host holds: `Pty`, or a program on pipes. */
export interface HeldProgram {
  readonly pid: number;
  /** The program's side of its terminal; empty without one. */
  readonly path: string;
  write(bytes: Uint8Array): boolean;
  onDrain(call: () => void): void;
  resize(cols: number, rows: number, pixels?: PixelSize): void;
  pause(): void;
  resume(): void;
  /** The terminal to type into; null for a program on pipes. */
  readonly terminal: HeldTerminal | null;
}

export interface RefusedAttempt {
  /** Name of the agent. */
  by: string;
  order: "attach" | "type";
  agent: string;
  session: string;
  text: string;
  reason: string;
}

export interface HostOptions {
  spec: HostSpec;
  /** Default: a new one. */
  session?: string | undefined;
  paths: RousePaths;
  env: Readonly<Record<string, string | undefined>>;
  cols: number;
  rows: number;
  pixels?: PixelSize | undefined;
  /** Receives the output, for `run`. Returns true if it keeps the buffer, which is otherwise reused after the call. */
  output?: (bytes: Buffer) => boolean;
  /** Starts the program; by default in its own pseudo-terminal. */
  open?: (options: PtyOptions, events: PtyEvents) => HeldProgram;
  startDaemon?: () => Promise<unknown>;
  /** Records an attempt of an agent to press keys through this host. */
  keysRefused?: (attempt: RefusedAttempt) => void;
  /** Logs failures of the watching. */
  log: (text: string) => void;
}
