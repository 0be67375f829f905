/** The channels in the user's file, which may change while the daemon runs. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type LoadedChannels, loadChannels } from "../config/channels.js";
import { rousePaths } from "../config/paths.js";
import { isParsable } from "../config/tables.js";

export class ChannelFile {
  readonly #path: string = join(rousePaths().config, "config.toml");
  #stamp: string = "";

  read(): LoadedChannels {
    this.#stamp = this.#currentStamp();
    return loadChannels();
  }

  /** Null if it is unchanged, or cannot be read at present: then the channels stay as they are. */
  readIfChanged(): LoadedChannels | null {
    if (this.#currentStamp() === this.#stamp || !isParsable(this.#path)) return null;
    return this.read();
  }

  #currentStamp(): string {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  }
}
