/** Real clients against a scripted model server, under rouse: `npm run test:real`. Minutes long, and not part of `npm test`. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Home } from "../support/hosts.js";
import { runCase, storyOf } from "./case.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { CODEX } from "./clients/codex.js";
import { type Installed, install } from "./clients/install.js";
import { QWEN_CODE } from "./clients/qwen-code.js";
import { figuresText, type Measured } from "./figures.js";
import { leaveHome, openHome } from "./homes.js";
import { SCENARIOS } from "./scenarios.js";
import { WAYS } from "./seats.js";

const CLIENTS = [CLAUDE_CODE, CODEX, QWEN_CODE];
/** Time for a client's own retries. */
const RETRIES_S = 180;
const measured: Measured[] = [];
const installed = new Map<string, Installed>();
let home: Home;

beforeAll(async () => {
  for (const client of CLIENTS) installed.set(client.name, await install(client));
  home = await openHome();
});

afterAll(async () => {
  const text = figuresText(measured);
  process.stdout.write(`\n${text}\n`);
  if (process.env.ROUSE_REAL_OUT) writeFileSync(process.env.ROUSE_REAL_OUT, JSON.stringify(measured, null, 1));
  await leaveHome(home);
});

// The long ones first, so that none of them delays the end.
const CASES = [...SCENARIOS]
  .sort((a, b) => lengthOf(b) - lengthOf(a))
  .flatMap((scenario) => WAYS.flatMap((way) => CLIENTS.map((client) => ({ scenario, way, client }))))
  .filter(({ scenario, client }) => !(scenario.name in (client.without ?? {})))
  // For an unknown program only the judgement matters, and it sees the same screen in every seat.
  .filter(({ way, client }) => client.kind !== "generic" || way === "spawn");

function lengthOf({ expects }: (typeof SCENARIOS)[number]): number {
  return Math.max(...expects.map(({ withinS, meanwhile }) => withinS + (meanwhile ? RETRIES_S : 0)));
}

describe.concurrent("a real client", () => {
  for (const { scenario, way, client } of CASES) {
    it(`${client.name} ${way} ${scenario.name}`, async () => {
      const one = { scenario, way, installed: installed.get(client.name) as Installed };
      const figure = await runCase(home, one);
      measured.push({ ...one, figure });
      expect(figure.wrong, `${storyOf(figure.trail)}\n${figure.screen}`).toEqual([]);
    });
  }
});
