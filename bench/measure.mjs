/** Side by side: each round runs every contestant once, in turn, so that a busy machine is busy for all of them. */
export function sideBySide(contestants, rounds) {
  const names = Object.keys(contestants);
  const best = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    // The order alternates with the round. No garbage collection is forced in between: it would discard optimised code.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      best[name] = Math.min(best[name], contestants[name]());
    }
  }
  return best;
}

/**
 * The same for work in many small pieces, each timed by itself: a contestant returns the milliseconds of its pieces, and
 * the best of each piece is summed. A piece of microseconds is seldom interrupted, so a busy machine disturbs less.
 */
export function sideBySideInPieces(contestants, rounds) {
  const best = {};
  const keep = (name, pieces) => {
    best[name] = best[name] ? best[name].map((ms, n) => Math.min(ms, pieces[n])) : pieces;
    return 0;
  };
  const kept = Object.entries(contestants).map(([name, run]) => [name, () => keep(name, run())]);
  sideBySide(Object.fromEntries(kept), rounds);
  return Object.fromEntries(Object.entries(best).map(([name, pieces]) => [name, pieces.reduce((a, b) => a + b, 0)]));
}

/** Milliseconds of one call. */
export function timed(work) {
  const from = performance.now();
  work();
  return performance.now() - from;
}
