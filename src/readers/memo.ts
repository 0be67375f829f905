/**
 * A bounded cache by text. Two generations: when the young one is full, the old one is dropped, so memory is bounded at
 * twice `max` and a text in use is never lost.
 */
export class BoundedMemo<V> {
  readonly #max: number;
  readonly #make: (text: string) => V;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(max: number, make: (text: string) => V) {
    this.#max = max;
    this.#make = make;
  }

  of(text: string): V {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const made = this.#old.get(text) ?? this.#make(text);
    this.#young.set(text, made);
    if (this.#young.size > this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    return made;
  }
}
