import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeHome, type Home, makeHome, rouse, rouseInTerminal, until } from "../support/hosts.js";

const TIMES = process.env.ROUSE_FULL === "1" ? 1000 : 20;
const ASKER = join(import.meta.dirname, "asker.mjs");
/**
 * The four queries that a program without a terminal needs answered to start: status, cursor, device, device
 * again.
 */
const GIVEN = /\u001b\]7501;\?\u001b\\|\u001b\[\d+;\d+R|\u001b\[\?1;2c|\u001b\[>0;276;0c/g;

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe(`every query that terminals know, asked ${TIMES} times`, () => {
  const file = (): string => join(home.path, "answers");
  const command = (): string[] => ["--", process.execPath, ASKER, file(), String(TIMES)];

  it("gets no byte from rouse run: only the terminal answers", async () => {
    const terminal = rouseInTerminal(home, ["run", ...command()]);
    expect(await terminal.exited).toEqual({ code: 0, signal: null });
    expect(readFileSync(file(), "latin1")).toBe("");
  });

  it("gets the four fixed answers from rouse spawn, and no text of the agent", async () => {
    expect((await rouse(home, ["spawn", ...command()])).status).toBe(0);
    await until("the program to end", () => existsSync(file()));
    const answers = readFileSync(file(), "latin1");
    expect(answers).not.toBe("");
    expect(answers.replace(GIVEN, "")).toBe("");
  });
});
