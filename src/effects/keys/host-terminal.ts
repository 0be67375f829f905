/** A terminal that a rouse host holds (`run`, `spawn`): the host itself reads, checks and writes. */
import type { Keys, Precondition, ScreenState } from "../../core/policy/typing-checks.js";
import { askHostProcess } from "../../terminal/ask.js";
import type { PressAnswer, ScreenAnswer, ToHost, TypedBy } from "../../terminal/frames.js";
import type { PressResult, Terminal, TerminalCheck } from "./terminal.js";

const ANSWER_MS = 5000;

export class HostTerminal implements Terminal<null> {
  readonly #socket: string;
  readonly #by: TypedBy;

  constructor(socket: string, by: TypedBy = "rouse") {
    this.#socket = socket;
    this.#by = by;
  }

  async check(): Promise<TerminalCheck<null>> {
    const asked = await askHostProcess(this.#socket, { op: "check" }, "check", ANSWER_MS);
    if (asked.kind !== "answer")
      return { terminalState: null, reason: `the agent's terminal does not respond: ${asked.reason}` };
    const checked = asked.event as unknown as ScreenAnswer;
    if (checked.terminalState === null)
      return { terminalState: null, reason: checked.reason, isPiped: checked.isPiped === true };
    const { terminalState } = checked;
    const screenState: ScreenState = terminalState.screenState;
    return { terminalState: { screenState, quietMs: terminalState.quietMs ?? Number.POSITIVE_INFINITY }, ticket: null };
  }

  async press(_ticket: null, keys: Keys, precondition: Precondition): Promise<PressResult> {
    const order: ToHost = { op: "press", keys, precondition, by: this.#by };
    const asked = await askHostProcess(this.#socket, order, "pressed", ANSWER_MS);
    if (asked.kind === "lost")
      return { result: "unknown", reason: `no answer from the agent's terminal: ${asked.reason}` };
    if (asked.kind !== "answer") return { result: "refused", reason: asked.reason };
    const { bytes, reason } = asked.event as unknown as PressAnswer;
    return bytes > 0 ? { result: "pressed" } : { result: "refused", reason: reason ?? "no reason given" };
  }

  /** It keeps no connection. */
  close(): void {}
}
