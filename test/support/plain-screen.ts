/** Coloured lines as the screen that the rules read, through the real emulator. */
import xterm from "@xterm/headless";
import { TerminalScreen } from "../../src/readers/terminal/terminal-screen.js";
import { type Line, paintLines } from "./recordings.js";

export function plainScreen(lines: readonly Line[], cols = 120): TerminalScreen {
  const terminal = new xterm.Terminal({ cols, rows: Math.max(2, lines.length), scrollback: 0, allowProposedApi: true });
  terminal.input("", true);
  terminal.write(paintLines(lines, cols));
  const screen = new TerminalScreen(terminal);
  screen.read();
  return screen;
}
