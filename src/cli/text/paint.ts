/** Colours. None if the output is not a terminal, TERM is dumb or NO_COLOR is set; always with FORCE_COLOR. */
import type { State } from "../../core/states.js";

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, dim: 2, bold: 1 } as const;
type Colour = keyof typeof CODES;

const STATE_COLOURS: Readonly<Record<State, Colour>> = {
  starting: "dim",
  idle: "dim",
  working: "green",
  waiting: "cyan",
  needs_input: "yellow",
  rate_limited: "magenta",
  stuck: "red",
  error: "red",
  complete: "blue",
  gone: "red",
  unknown: "dim",
};

/** A terminal with a movable cursor: a dumb one would print the codes. */
export const canDraw = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean =>
  stream.isTTY === true && env.TERM !== "dumb";

export function isColoured(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  return env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : canDraw(stream, env);
}

export function paintText(text: string, colour: Colour, on: boolean): string {
  return on ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

export function paintState(state: State, width: number, on: boolean): string {
  return paintText(state.padEnd(width), STATE_COLOURS[state], on);
}
