/** JSON keys are snake_case everywhere; figures and explanations are computed with names of the code. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [snake(key), snakeCased(one)]));
}

const snake = (key: string): string =>
  /^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
