import type { Command } from "@commander-js/extra-typings";

export type AddCommand = (program: Command, setExit: (code: number) => void) => void;

/** One file of commands, loaded when one of its names is called. */
export interface CommandEntry {
  names: readonly string[];
  load: () => Promise<AddCommand>;
}
