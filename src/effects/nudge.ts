/**
 * Text, a gap, one Enter. The Enter is pressed only when the text stands in the composer to the letter and nothing else
 * has changed; whatever happens, there is no second one.
 */
import { isRunning, sameText } from "../core/typing-checks.js";
import {
  done,
  failed,
  pressOn,
  type Reach,
  type Result,
  refusedResult,
  settled,
  unknown,
  watchScreen,
} from "./reach.js";
import type { Press } from "./terminal.js";

/** Programs take bytes that come together for a paste, and an Enter in a paste for a line end. */
const GAP_MS = 300;
/** A busy machine draws late. */
const SHOWN_MS = 5000;
const STARTED_MS = 10_000;

export async function nudge(reach: Reach, text: string): Promise<Result> {
  const others = reach.turn();
  if (others === "running") return refusedResult("a turn is running");
  if (others === "asking") return refusedResult("the program waits for an answer");
  const idle = { draft: "", turn: "idle", quietMs: reach.quietMs } as const;
  const look = await settled(reach, idle);
  if (typeof look === "string") return refusedResult(look);
  const typed = await reach.hand.press(look, { kind: "text", text }, idle);
  if (typed.result === "refused") return refusedResult(typed.reason);
  if (typed.result === "unknown") return unknown(`${typed.reason}; the text may stand in the composer, no Enter`);

  const shown = await watchScreen(reach, SHOWN_MS, ({ draft }) => sameText(draft, text));
  if (!shown.isSo) return left(shown.reason || "what was typed is not to be seen in the composer");
  await reach.sleep(GAP_MS);
  const entered = await submit(reach, text);
  if (entered.result === "refused") return takeBack(reach, text, entered.reason);
  if (entered.result === "unknown") return unknown(`${entered.reason}; the text stands in the composer or was sent`);
  return prove(reach, text);
}

function submit(reach: Reach, text: string): Promise<Press> {
  const precondition = { draft: text, turn: "idle", quietMs: reach.quietMs } as const;
  return pressOn(reach, { kind: "submit" }, precondition, () => {
    const others = reach.turn();
    if (others === "running" || others === "asking") return "something else began";
    return reach.now() >= reach.deadline ? "it took too long" : null;
  });
}

/** Only what rouse typed, only when exactly that is to be seen, and only under the same conditions as any key. */
async function takeBack(reach: Reach, text: string, why: string): Promise<Result> {
  const precondition = { draft: text, turn: "idle", quietMs: reach.quietMs } as const;
  const erased = await pressOn(reach, { kind: "erase", chars: text.length }, precondition);
  if (erased.result !== "pressed") return left(why);
  const gone = await watchScreen(reach, SHOWN_MS, ({ composer }) => composer === "empty");
  if (gone.isSo) return refusedResult(`${why}; what was typed was taken back`);
  return failed(`${why}; Enter was not pressed, and whether what was typed could be taken back is not to be seen`);
}

const left = (why: string): Result => failed(`${why}; Enter was not pressed, the text is left where it is`);

async function prove(reach: Reach, text: string): Promise<Result> {
  const started = await watchScreen(
    reach,
    STARTED_MS,
    (screenState) => isRunning(screenState) || reach.turn() === "running",
  );
  if (started.isSo) return done("typed and sent; a turn started", true);
  const screenState = started.look?.terminalState.screenState;
  if (screenState && sameText(screenState.draft, text))
    return failed("Enter was not taken: the text stands in the composer");
  return done(`typed and sent; ${started.reason || "no turn was seen to start yet"}`, null);
}
