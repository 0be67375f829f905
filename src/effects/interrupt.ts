/** The program's own keys that end a turn (Esc; twice in OpenCode), each on a look of its own, while a turn runs. */
import { isRunning } from "../core/typing-checks.js";
import {
  done,
  failed,
  type Reach,
  type Result,
  refusedResult,
  SCREEN_RECHECK_MS,
  unknown,
  watchScreen,
} from "./reach.js";
import type { Press } from "./terminal.js";

/** A running turn repaints, so that a look can be overtaken: it is taken anew a few times. */
const TRIES = 6;
/** Between two keys: time for the program to ask for the second one. OpenCode forgets the first after 5 s. */
const BETWEEN_MS = 400;
const ENDED_MS = 10_000;
/** A turn that ended stays ended; between two tools no mark is drawn for a moment. */
const STAYS_MS = 700;

export async function interrupt(reach: Reach, presses: number): Promise<Result> {
  if (presses === 0) return refusedResult("the program has no key that ends a turn");
  if (reach.turn() === "asking") return refusedResult("the program waits for an answer");
  let queued = false;
  for (let press = 0; press < presses; press++) {
    if (press > 0) await reach.sleep(BETWEEN_MS);
    const pressed = await pressOnce(reach, press);
    queued ||= pressed.queued;
    if (pressed.result === "unknown") return unknown(pressed.reason);
    if (pressed.result === "pressed") continue;
    if (press === 0) return refusedResult(pressed.reason);
    // The first key was enough, or something came up that must not be answered with another.
    if (!pressed.isOver) return failed(`${pressed.reason} after ${press} of ${presses} keys`);
    break;
  }
  return prove(reach, queued ? "; a queued text is sent by it" : "");
}

async function pressOnce(reach: Reach, press: number): Promise<Press & { queued: boolean; isOver: boolean }> {
  const running = { draft: "", turn: "running", quietMs: reach.quietMs } as const;
  let last: Press & { queued: boolean; isOver: boolean } = {
    result: "refused",
    reason: "there was no time",
    queued: false,
    isOver: false,
  };
  for (let tries = 0; tries < TRIES && reach.now() < reach.deadline; tries++) {
    if (tries > 0) await reach.sleep(SCREEN_RECHECK_MS);
    const look = await reach.hand.look();
    if (look.terminalState === null) return { result: "refused", reason: look.reason, queued: false, isOver: false };
    const { screenState } = look.terminalState;
    const pressed = await reach.hand.press(look, { kind: "interrupt", press }, running);
    last = { ...pressed, queued: screenState.queued, isOver: !isRunning(screenState) };
    if (pressed.result !== "refused" || last.isOver || screenState.dialog !== null) return last;
  }
  return last;
}

async function prove(reach: Reach, also: string): Promise<Result> {
  const end = Math.min(reach.now() + ENDED_MS, reach.deadline);
  while (reach.now() < end) {
    const ended = await watchScreen(reach, end - reach.now(), (screenState) => !isRunning(screenState));
    if (ended.look === null) return done(`interrupted; ${ended.reason}${also}`, null);
    if (!ended.isSo) break;
    await reach.sleep(STAYS_MS);
    const look = await reach.hand.look();
    if (look.terminalState !== null && !isRunning(look.terminalState.screenState))
      return done(`interrupted; the turn ended${also}`, true);
    // A queued text makes a turn of its own: the old one ended, the work goes on.
    if (also !== "") return done(`interrupted; the turn ended${also}`, true);
  }
  return failed("interrupted, but the turn goes on");
}
