import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { allCommands } from "../src/cli/commands/completions.js";
import { COMMANDS } from "../src/cli/commands.js";
import { textWidth } from "../src/cli/text/width.js";
import { type Situation, WITH_AGENTS, WITHOUT_AGENTS, WITHOUT_DAEMON } from "./golden/situations.js";
import { captureCli } from "./support/capture-cli.js";
import {
  type GoldenDaemon,
  makeGoldenHome,
  maskFacts,
  recordEnded,
  removeGoldenHome,
  startGoldenDaemon,
  writeConfig,
} from "./support/golden-daemon.js";
import { playNight } from "./support/golden-night.js";
import { actionsDone } from "./support/scripted-agents.js";
import { START } from "./support/steps.js";

vi.mock("../src/effects/index.js", async (original) => ({
  ...(await original<typeof import("../src/effects/index.js")>()),
  carryOut: async (action: { id: string; do: string }) => {
    actionsDone.push(action.do);
    return { intent: action.id, at: Date.now(), result: "done", reason: "", proven: true };
  },
}));
/** An alert leaves at once: the time of a real process would differ from run to run. */
vi.mock("../src/channels/command.js", () => ({
  commandChannel: (name: string, [program = ""]: string[]) => ({
    name,
    type: "command",
    to: program,
    send: async () => ({ result: "sent" }),
  }),
}));

const FOLDER = join(import.meta.dirname, "golden");
const WIDTHS = [80, 120] as const;
const ESCAPE = /\u001b\[[0-9;]*[A-Za-z]/g;
const CONFIG = 'version = 1\n[channels.phone]\ntype = "command"\ncommand = ["notify-phone"]\n';

/** Set by `npm run golden`. */
const isRewriting = process.env.GOLDEN === "rewrite";

const written = new Set<string>();

/** Runs it four times and compares each output with its file. */
async function expectGolden(situation: Situation): Promise<void> {
  const { command, name, args, asIs, fresh } = situation;
  for (const columns of WIDTHS) {
    const shown = async (colour: boolean): Promise<string> => {
      if (fresh) vi.resetModules();
      return maskFacts(await captureCli(args, { columns, colour }));
    };
    const file = join(FOLDER, command, `${name}.${columns}`);
    const keep = async (text: string, ending: string): Promise<void> => {
      written.add(`${file}${ending}`);
      // Vitest would create it without a word.
      if (!isRewriting) expect(existsSync(`${file}${ending}`), `${file}${ending} exists`).toBe(true);
      await expect(text.replaceAll("\u001b", "␛")).toMatchFileSnapshot(`${file}${ending}`);
    };
    const plain = await shown(false);
    const coloured = await shown(true);
    expect(coloured.replace(ESCAPE, ""), "colours change nothing but the colour").toBe(plain);
    await keep(plain, ".txt");
    // Only where there is any colour.
    if (coloured !== plain) await keep(coloured, ".colour.txt");
    if (!asIs)
      expect(
        plain
          .split("\n")
          .slice(1)
          .filter((line) => textWidth(line) > columns),
        "too wide",
      ).toEqual([]);
  }
}

let home: string;
beforeAll(() => {
  home = makeGoldenHome();
  vi.useFakeTimers({ toFake: ["Date"], now: START });
  vi.stubEnv("ROUSE_HOME", join(home, "rouse"));
  vi.stubEnv("HOME", home);
  for (const name of ["ROUSE_SESSION", "ROUSE_AGENT", "TMUX", "TMUX_PANE", "CLAUDE_CONFIG_DIR", "CODEX_HOME"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("TZ", "UTC");
  vi.stubEnv("ROUSE_DAEMON", "off");
  const programs = join(home, "bin");
  mkdirSync(programs);
  writeFileSync(join(programs, "tmux"), "#!/bin/sh\necho tmux 3.4\n", { mode: 0o755 });
  vi.stubEnv("PATH", programs);
  vi.stubEnv("TMUX_TMPDIR", home);
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  removeGoldenHome(home);
});

const COMMAND_WORDS: readonly (readonly string[])[] = [[], ...(await allCommands(COMMANDS)).map(({ words }) => words)];

describe("the help", () => {
  it.each(COMMAND_WORDS.map((words) => [["rouse", ...words].join(" "), words] as const))(
    "of %s is what its golden files hold",
    async (_, words) => {
      await expectGolden({ command: "help", name: words.join("-") || "rouse", args: [...words, "--help"] });
    },
  );
});

describe("without a daemon", () => {
  it.each(WITHOUT_DAEMON.map((one) => [`${one.command}/${one.name}`, one] as const))(
    "%s prints what its golden files hold",
    async (_, one) => {
      if (one.config !== undefined) writeConfig(one.config);
      await expectGolden(one);
      if (one.config !== undefined) removeGoldenHome(join(home, "rouse"));
    },
  );
});

describe.each([
  ["without agents", async () => {}, "version = 1\n", WITHOUT_AGENTS],
  ["with agents", playNight, CONFIG, WITH_AGENTS],
] as const)("%s", (_, play, config, situations) => {
  let daemon: GoldenDaemon;
  beforeAll(async () => {
    writeConfig(config);
    daemon = await startGoldenDaemon(play, (now) => vi.setSystemTime(now));
    if (play === playNight) recordEnded(daemon.now);
  });
  afterAll(async () => {
    await daemon.close();
    removeGoldenHome(join(home, "rouse"));
  });

  it.each(situations.map((one) => [`${one.command}/${one.name}`, one] as const))(
    "%s prints what its golden files hold",
    async (_name, one) => expectGolden(one),
  );
});

describe("the golden files", () => {
  it("belong to a situation of the table each", () => {
    const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".txt"))
      .map((entry) => join(entry.parentPath, entry.name));
    const obsolete = files.filter((file) => !written.has(file));
    if (isRewriting) for (const file of obsolete) rmSync(file);
    else expect(obsolete).toEqual([]);
  });
});
