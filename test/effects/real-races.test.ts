/**
 * Races with real programs in real terminals: an event happens at moments spread over a whole action, from before
 * its first check until after its last key. No key reaches the wrong receiver, nothing is ended, and the outcome
 * says why.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ActionOutcome } from "../../src/core/action.js";
import { textFor } from "../../src/effects/keys/texts.js";
import { identityOf } from "../../src/sensors/process/process-sensor.js";
import { carriedOut } from "../support/actions.js";
import type { Arrival, FakeScript } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, until } from "../support/hosts.js";
import { hostRig, type Rig, type RigMaker, tmuxRig } from "../support/rigs.js";
import { NO_TMUX } from "../support/tmux.js";

const RACES = process.env.ROUSE_FULL === "1" ? 20 : 2;
/** The start or end of a turn is awaited until then. */
const DEADLINE_MS = 5000;

const TEXT = textFor("continue");
const ERASED = "\u007f".repeat(TEXT.length);
const ESC = "\u001b";
const MINE = "mine";
/**
 * A key written at the moment in which the program drew its dialog, or a draft, cannot be called back from outside
 * of the program. Aimed at that moment, on two busy cores, 8 of 150 arrived within 6 ms in a host, and 10 of 150
 * within 20 ms in tmux: a window of about 0.3 and 1.3 ms.
 */
const ON_ITS_WAY_MS = 100;
/** tmux records the time of input in seconds. */
const QUIET_MS = 1500;

interface Race {
  what: string;
  rigs: Readonly<Record<string, RigMaker>>;
  action: "nudge" | "interrupt";
  steps: FakeScript["steps"];
  drawMs?: number;
  /** The longest duration of an undisturbed action: the moments are spread over it. */
  lastsMs: number;
  quietMs?: number;
  before?: (rig: Rig) => Promise<void>;
  comes: (rig: Rig) => Promise<void>;
  /** What may have arrived in the agent, by the reported outcome. */
  arrived: (rig: Rig, outcome: ActionOutcome) => void | Promise<void>;
  /** Only the event ends the agent. */
  dies?: true;
}

const HOST = { "a host": hostRig };
const TMUX: Record<string, RigMaker> = NO_TMUX ? {} : { tmux: tmuxRig() };
const SHELLS: Record<string, RigMaker> = NO_TMUX ? {} : { "tmux, below a shell with jobs": tmuxRig("jobs") };

/** A nudge is its text alone, the text and its deletion, or the text and Enter. */
const NUDGED = {
  refused: ["", TEXT + ERASED],
  failed: [TEXT, TEXT + ERASED],
  unknown: ["", TEXT, `${TEXT}\r`],
  done: [`${TEXT}\r`],
};
const INTERRUPTED = { refused: [""], failed: [ESC], unknown: ["", ESC], done: [ESC] };

const idle = [{ do: "idle" }, { do: "hang" }];
const running = [{ do: "hang" }, { do: "idle" }];
const keptOut = (allowed: Record<ActionOutcome["result"], string[]>) => (rig: Rig, outcome: ActionOutcome) => {
  expect(rig.arrivals().filter(({ dialogMs }) => (dialogMs ?? 0) > ON_ITS_WAY_MS)).toEqual([]);
  expect(allowed[outcome.result]).toContain(rig.received());
};
/** Everything that rouse had typed by then: nothing follows text of another writer, neither a key nor an Enter. */
const theirs =
  (allowed: Record<ActionOutcome["result"], string[]>) =>
  async ({ received }: Rig, { result }: ActionOutcome): Promise<void> => {
    await until("the user's text to arrive", () => received().includes(MINE));
    const [before = "", after] = received().split(MINE);
    expect(after).toBe("");
    if (result === "refused" || result === "done") expect(allowed[result]).toContain(before);
  };

/** A draft without a known writer can be detected only once it is drawn. */
const leftAlone = async ({ received, arrivals }: Rig): Promise<void> => {
  await until("the draft to arrive", () => received().includes(MINE));
  const isLate = ({ text, draft, draftMs }: Arrival): boolean =>
    text !== MINE && draft.includes(MINE) && draftMs > ON_ITS_WAY_MS;
  expect(arrivals().filter(isLate)).toEqual([]);
};

/** A signal moves the agent on: it is not a key, so every key in its log is rouse's. */
const goesOn = async ({ agent }: Rig): Promise<void> => {
  process.kill(agent.pid as number, "SIGUSR2");
};
const dies = async ({ agent }: Rig): Promise<void> => {
  process.kill(agent.pid as number, "SIGKILL");
};
/** A user is attached and has not typed for a while. */
const sits = async ({ human, terminal }: Rig): Promise<void> => {
  await human("");
  await until("some quiet", async () => {
    const { terminalState } = await terminal.check();
    return terminalState !== null && terminalState.quietMs > QUIET_MS;
  });
};

const TYPING: Pick<Race, "what" | "comes"> = { what: "a user types", comes: ({ human }) => human(MINE) };
const SAT = { ...TYPING, quietMs: QUIET_MS, before: sits };

const TABLE: readonly Race[] = [
  {
    what: "a dialog opens",
    rigs: { ...HOST, ...TMUX },
    action: "nudge",
    steps: [{ do: "idle" }, { do: "ask" }, { do: "hang" }],
    lastsMs: 1200,
    comes: goesOn,
    arrived: keptOut(NUDGED),
  },
  {
    what: "a dialog opens",
    rigs: { ...HOST, ...TMUX },
    action: "interrupt",
    steps: [{ do: "hang" }, { do: "ask" }, { do: "hang" }],
    lastsMs: 30,
    comes: goesOn,
    arrived: keptOut(INTERRUPTED),
  },
  { ...TYPING, rigs: HOST, action: "nudge", steps: idle, lastsMs: 900, arrived: theirs(NUDGED) },
  { ...SAT, rigs: TMUX, action: "nudge", steps: idle, lastsMs: 900, arrived: theirs(NUDGED) },
  {
    ...SAT,
    rigs: { ...HOST, ...TMUX },
    action: "interrupt",
    steps: running,
    lastsMs: 30,
    arrived: theirs(INTERRUPTED),
  },
  {
    what: "a draft appears without known input",
    rigs: { ...HOST, ...TMUX },
    action: "nudge",
    steps: idle,
    // As often as programs do; what is not drawn yet cannot be seen.
    drawMs: 20,
    lastsMs: 900,
    quietMs: 0,
    comes: ({ draft }) => draft(MINE),
    arrived: leftAlone,
  },
  {
    what: "a shell has the pane back",
    rigs: SHELLS,
    action: "nudge",
    steps: idle,
    lastsMs: 1200,
    comes: dies,
    dies: true,
    // Input that was typed before and not yet read goes to the shell: a text, never an Enter, and never after a refusal.
    arrived: async (rig, { result }) => {
      const left = await rig.shell();
      expect(result === "refused" ? [""] : ["", TEXT]).toContain(left);
      expect(rig.received()).toMatch(result === "done" ? /\r$/ : /^[^\r]*$/);
    },
  },
  {
    what: "a shell has the pane back",
    rigs: SHELLS,
    action: "interrupt",
    steps: running,
    lastsMs: 30,
    comes: dies,
    dies: true,
    arrived: async (rig, { result }) => {
      const left = await rig.shell();
      expect(result === "refused" ? [""] : ["", ESC]).toContain(left);
    },
  },
];

const cases = TABLE.flatMap((race) => Object.entries(race.rigs).map(([where, make]) => ({ ...race, where, make })));
type Case = (typeof cases)[number];

async function run(race: Case, home: Home, number: number): Promise<void> {
  const { steps, drawMs = 100 } = race;
  const rig = await race.make(home, `agent-${number}`, { steps, drawMs });
  try {
    await rig.sees(({ composer, says }) => (race.action === "nudge" ? composer === "empty" : says === "working"));
    await race.before?.(rig);
    const context = race.quietMs === undefined ? {} : { quietMs: race.quietMs };
    const pending = carriedOut(home, rig.agent, race.action, context, { deadlineMs: DEADLINE_MS });
    await sleep(((number + Math.random()) / RACES) * race.lastsMs);
    await race.comes(rig);
    const outcome = await pending;
    expect(outcome.reason).not.toBe("");
    await race.arrived(rig, outcome);
    if (!race.dies) expect(identityOf(rig.agent.pid as number)).toBe(rig.agent.pidStart);
  } finally {
    await rig.close();
  }
}

// All of them mostly wait.
describe.concurrent(`${RACES} races each`, () => {
  it.each(cases)("$what, at any moment of a $action, in $where", { timeout: 900_000 }, async (race) => {
    const home = makeHome();
    try {
      for (let number = 0; number < RACES; number++) await run(race, home, number);
    } finally {
      expect((await closeHome(home)).processes).toEqual([]);
    }
  });
});
