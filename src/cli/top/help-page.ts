/** The page of `?`. */
import { STRIP_SIGNS } from "./frame.js";
import { KEYS } from "./keys.js";
import type { Page } from "./model.js";

const WIDTH = 8;

export function helpPage(): Page {
  const signs = new Map<string, string[]>();
  for (const [state, sign] of Object.entries(STRIP_SIGNS)) signs.set(sign, [...(signs.get(sign) ?? []), state]);
  return {
    kind: "help",
    about: null,
    title: "Keys",
    lines: [
      ...KEYS.map(({ shown, does }) => `  ${shown.padEnd(WIDTH)}  ${does}`),
      "",
      "Last 24 hours, oldest first",
      ...[...signs].map(([sign, states]) => `  ${sign.padEnd(WIDTH)}  ${states.join(", ")}`),
      `  ${"blank".padEnd(WIDTH)}  not observed`,
    ],
    offset: 0,
  };
}
