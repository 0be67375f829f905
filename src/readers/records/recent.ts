/** A map that drops its oldest entry, so that the memory of a reader stays bounded in a long session. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #max: number;

  constructor(max = 4096) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#max) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  /** Whether this value is new for the key; remembers it. */
  changes(key: string, value: V): boolean {
    if (this.#entries.get(key) === value) return false;
    this.set(key, value);
    return true;
  }
}
