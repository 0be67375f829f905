/**
 * A pane of a tmux server. A check is one batch of reads; a press is one command in which the server compares the pane with
 * that check and writes (`tmux-condition.ts`). Keys are sent as numbers (`send-keys -H`), so that no text is read as a key
 * name or a command.
 */

import { randomBytes } from "node:crypto";
import { localZone } from "../../config/local-zone.js";
import type { AgentSession } from "../../core/agent.js";
import { type Keys, type Precondition, refuseReason, type TerminalState } from "../../core/policy/typing-checks.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import type { PlacedScreenState } from "../../readers/terminal/screen-state.js";
import { readProcRow } from "../../sensors/process/proc.js";
import { identityOf, isInFront } from "../../sensors/process/process-sensor.js";
import { readPsRow } from "../../sensors/process/ps.js";
import { PollLink, type TmuxLink } from "../../sensors/tmux/link.js";
import { PaneSensor } from "../../sensors/tmux/pane-sensor.js";
import { capturePane, listPanes, type Pane, parsePanes } from "../../sensors/tmux/panes.js";
import { bytesOfKeys, inputSignal } from "../../terminal/typed-text.js";
import type { PressResult, Terminal, TerminalCheck, Typing } from "./terminal.js";
import { conditionOf, PANE_FORMAT, paneNumbers } from "./tmux-condition.js";

const PANE_ID = /^%\d{1,10}$/;
/** A control-mode client types nothing. */
const CLIENTS_FORMAT = "#{client_activity} #{client_control_mode} #{session_id} #{window_id}";

/** The state that the server compares before it writes. */
interface PaneCapture {
  terminalState: TerminalState;
  condition: string;
}

export class TmuxTerminal implements Terminal<PaneCapture> {
  readonly #agent: AgentSession;
  readonly #profile: AgentProfile;
  readonly #pane: string;
  readonly #link: TmuxLink;
  readonly #typing: Typing;
  #sensor: PaneSensor | null = null;

  /** Throws if the agent has no valid pane. */
  constructor(agent: AgentSession, profile: AgentProfile, { link, typing }: { link?: TmuxLink; typing?: Typing } = {}) {
    if (!agent.pane || !PANE_ID.test(agent.pane.id)) throw new Error("the agent is not in a tmux pane");
    this.#agent = agent;
    this.#profile = profile;
    this.#pane = agent.pane.id;
    this.#link = link ?? new PollLink(agent.pane.socket);
    this.#typing = typing ?? { by: "rouse" };
  }

  async check(): Promise<TerminalCheck<PaneCapture>> {
    const mark = randomBytes(12).toString("hex");
    const outcome = await this.#link.run([
      listPanes(mark),
      ["display-message", "-p", "-t", this.#pane, PANE_FORMAT],
      ["list-clients", "-F", CLIENTS_FORMAT],
      capturePane(this.#pane),
      ["capture-pane", "-p", "-t", this.#pane],
    ]);
    if (outcome.kind === "no_server") return unseen("the tmux server is gone");
    if (outcome.kind === "failed") return unseen(`tmux does not respond: ${outcome.reason}`);
    const [listing, numbers, clients, coloured, plain] = outcome.replies;
    if (listing == null || numbers == null || clients == null || coloured == null || plain == null)
      return unseen("the pane is gone");
    const pane = parsePanes(listing, mark).find((one) => one.id === this.#pane);
    const reported = paneNumbers(numbers);
    if (!pane || !reported) return unseen("the pane is gone");
    const objection = reported.objection ?? this.#stranger(pane);
    if (objection !== null) return unseen(objection);
    const placedScreenState = this.#placedScreenState(pane, coloured);
    if (!placedScreenState) return unseen("the pane is too small or too large to read");
    const typedAt = Math.max(lastTyped(clients, pane), reported.activeAt ?? Number.NEGATIVE_INFINITY);
    const terminalState: TerminalState = {
      screenState: placedScreenState.screenState,
      quietMs: Math.max(0, Date.now() - (typedAt + 1) * 1000),
    };
    const condition = conditionOf({
      numbers: reported.text,
      command: pane.command,
      rows: plain.split("\n"),
      ...(placedScreenState.rows ?? { top: 0, bottom: pane.rows - 1 }),
    });
    return { terminalState, ticket: { terminalState, condition } };
  }

  async press({ terminalState, condition }: PaneCapture, keys: Keys, precondition: Precondition): Promise<PressResult> {
    const bytes = bytesOfKeys(keys, this.#profile);
    if (bytes.length === 0) return refusedPress("the program has no such key");
    const objection = refuseReason(terminalState, precondition) ?? this.#stranger(null);
    if (objection !== null) return refusedPress(objection);
    const signal = inputSignal(keys, bytes.length, this.#typing.by, Date.now());
    const mark = randomBytes(8).toString("hex");
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const outcome = await this.#link.run([
      [
        "if-shell",
        "-F",
        "-t",
        this.#pane,
        condition,
        `send-keys -t ${this.#pane} -H ${hex} ; display-message -p ${mark}-pressed`,
        `display-message -p ${mark}-refused`,
      ],
    ]);
    if (outcome.kind === "no_server") return refusedPress("the tmux server is gone");
    if (outcome.kind === "failed") return { result: "unknown", reason: `no answer from tmux: ${outcome.reason}` };
    const [reply] = outcome.replies;
    if (reply == null) return refusedPress("the pane is gone");
    if (reply.includes(`${mark}-pressed`)) {
      this.#typing.typed?.(signal);
      return { result: "pressed" };
    }
    if (reply.includes(`${mark}-refused`)) return refusedPress("the pane has changed since the check");
    return { result: "unknown", reason: "tmux did not confirm the keys" };
  }

  close(): void {
    this.#sensor?.dispose();
    this.#sensor = null;
  }

  /** Why the pane does not show the agent; null if it does. */
  #stranger(pane: Pane | null): string | null {
    const { pid, pidStart } = this.#agent;
    if (pid === null || pidStart === null) return "no agent program was found in the pane";
    if (identityOf(pid) !== pidStart) return "the agent's process is gone";
    const tty = (process.platform === "linux" ? readProcRow : readPsRow)(pid)?.tty;
    if (pane && tty !== pane.tty) return "the agent is no longer in this pane";
    return isInFront(pid) ? null : "another program is in the foreground of the pane";
  }

  #placedScreenState(pane: Pane, coloured: string): PlacedScreenState | null {
    const at = Date.now();
    const zone = localZone();
    this.#sensor ??= new PaneSensor(this.#profile, pane, { zone }, at);
    return this.#sensor.placedScreenState(pane, coloured, at);
  }
}

/** When a user last typed into a client that shows the pane's window or session, in seconds. */
function lastTyped(clients: string, pane: Pane): number {
  const times = clients.split("\n").flatMap((line) => {
    const [at, control, session, window] = line.split(" ");
    const isHere = control !== "1" && (session === pane.session.id || window === pane.window.id);
    return isHere && /^\d{1,15}$/.test(at ?? "") ? [Number(at)] : [];
  });
  return Math.max(Number.NEGATIVE_INFINITY, ...times);
}

const unseen = (reason: string): { terminalState: null; reason: string } => ({ terminalState: null, reason });
const refusedPress = (reason: string): PressResult => ({ result: "refused", reason });
