/** Renders the help of every command with commander, for `scripts/write-help.mjs`. */
import type { StoredHelp } from "./help-store.js";
import { createProgram } from "./program.js";
import { readVersion } from "./version.js";

interface Described {
  name(): string;
  outputHelp(): void;
  configureOutput(options: { writeOut: (text: string) => void }): unknown;
  readonly commands: readonly Described[];
}

export async function renderHelp(width: number): Promise<StoredHelp> {
  const help: Record<string, string> = {};
  const add = (command: Described, words: readonly string[]): void => {
    let text = "";
    command.configureOutput({
      writeOut: (part) => {
        text += part;
      },
    });
    command.outputHelp();
    help[words.join(" ")] = text;
    for (const inner of command.commands) add(inner, [...words, inner.name()]);
  };
  add(await createProgram("", width, () => {}), []);
  return { version: readVersion(), help };
}
