/**
 * `hub.db` while it is in use. Another program can remove, replace or cut it, or remove its log: what is written after that would
 * be in a file without a name, and lost with the process.
 */
import { chmodSync, existsSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { CompiledDatabase, type Database } from "../../store/sqlite.js";
import { HubError } from "../hub-error.js";

interface HubFileOptions {
  path: string;
  isWal: boolean;
  /** Opens the file; throws if it is no hub. */
  connect: () => Database;
  log?: ((line: string) => void) | undefined;
}

export class HubFile {
  readonly database: CompiledDatabase;
  readonly #options: HubFileOptions;
  #known: Stats;

  constructor(options: HubFileOptions) {
    this.#options = options;
    this.database = new CompiledDatabase(options.connect());
    this.#known = statSync(options.path);
  }

  /** Before each use. */
  check(): void {
    const { path, isWal, log } = this.#options;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.ino !== this.#known.ino) {
      this.#reconnect();
      log?.(`${path} was replaced while it was in use; rouse uses the new file`);
    } else if (!found || (isWal && !existsSync(`${path}-wal`))) {
      this.#writeAgain();
      log?.(`${path} was removed while it was in use; rouse has written it again`);
    } else if (found.size < this.#known.size) {
      throw new HubError(
        "storage",
        `${path} is damaged (another program cut it off): stop rouse and move it away, or put a copy in its place`,
      );
    } else this.#known = found;
  }

  /** Everything can still be read from the open file. */
  #writeAgain(): void {
    const { path } = this.#options;
    const copy = `${path}.new`;
    rmSync(copy, { force: true });
    this.database.prepare("vacuum into ?").run(copy);
    chmodSync(copy, 0o600);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    renameSync(copy, path);
    this.#reconnect();
  }

  #reconnect(): void {
    const { path, connect } = this.#options;
    const connected = connect();
    this.#known = statSync(path);
    this.database.replace(connected).close();
  }
}
