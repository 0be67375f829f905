/** The items that this node marked, in a file of the state folder: an update that has not arrived survives a restart. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TrackedItem } from "./plan.js";

export class TrackedFile {
  readonly #path: string;
  readonly #items = new Map<number, TrackedItem>();

  constructor(state: string) {
    this.#path = join(state, "sources.json");
    for (const item of read(this.#path)) this.#items.set(item.task, item);
  }

  all(): TrackedItem[] {
    return [...this.#items.values()];
  }

  get(task: number): TrackedItem | undefined {
    return this.#items.get(task);
  }

  keep(item: TrackedItem): void {
    this.#items.set(item.task, item);
    this.#write();
  }

  remove(task: number): void {
    if (this.#items.delete(task)) this.#write();
  }

  #write(): void {
    const text = `${JSON.stringify({ version: 1, items: this.all() })}\n`;
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/** A lost file costs nothing but late updates: what is done here and open there is closed by the next list. */
function read(path: string): TrackedItem[] {
  try {
    const { items } = JSON.parse(readFileSync(path, "utf8")) as { items: TrackedItem[] };
    return items.filter(({ task, key }) => Number.isSafeInteger(task) && typeof key === "string");
  } catch {
    return [];
  }
}
