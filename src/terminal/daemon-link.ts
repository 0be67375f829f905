/**
 * Sends the signals of a host to the daemon: numbered, in order, kept until the daemon acknowledges them.
 *
 * Nothing here may disturb the agent. `give` only appends to a list; a batch leaves 100 ms later, or at once when 200
 * signals wait. If the daemon does not answer, it is started once (by an injected function) and retried with growing
 * pauses while the host runs. Unacknowledged signals are kept up to a limit; beyond it the oldest are dropped and
 * counted. While there is nothing to send, the session itself is sent as a heartbeat: a host that is stopped, or that
 * no longer watches its agent, sends none, and the daemon notices.
 *
 *   idle -- give --> waiting (100 ms) -- due --> sending -- acked --> idle, or waiting if there is more
 *                                                sending -- failed --> backing off (0.1 s … 10 s) --> sending
 *   idle -- 4 s --> sending the session alone
 *   any -- close --> closed
 */
import { Agent, request } from "node:http";
import type { AgentSession } from "../core/agent.js";
import type { Signal } from "../core/signal.js";

const BATCH_MS = 100;
const BATCH_SIGNALS = 200;
const KEPT_MAX = 20_000;
/** A killed daemon is noticed within this time, even if the agent is quiet. */
const HEARTBEAT_MS = 4000;
/** A daemon that dies this soon after its start would die again. */
const YOUNG_MS = 3000;
const CALL_EVERY_MS = 60_000;
const BACK_OFF_MS = [100, 200, 500, 1000, 2000, 5000, 10_000] as const;
const TIMEOUT_MS = 5000;
/** Status of an answer of the daemon: these signals are judged, and have to be sent again. */
const NOT_STORED = 507;
const ANSWER_CHARS_MAX = 64 * 1024;

export interface DaemonLinkOptions {
  socketPath: string;
  session: AgentSession;
  /** Called when no daemon answers, at most once a minute; may fail. */
  startDaemon?: () => Promise<unknown>;
  keptMax?: number;
  heartbeatMs?: number;
  /** Whether the agent is still watched: a host that only forwards bytes sends no heartbeat. */
  isWatching?: () => boolean;
  /** Called when the daemon no longer has everything that this link sent: what can be seen again should be given again. */
  onLost?: () => void;
}

interface Pending {
  timer: NodeJS.Timeout;
  dueAt: number;
}

type LinkState =
  /** The daemon has everything; the next heartbeat is pending. */
  | ({ kind: "idle" } & Pending)
  /** A batch is pending. */
  | ({ kind: "waiting" } & Pending)
  /** A retry is pending; `failures` counts the failed requests in a row. */
  | ({ kind: "backing_off"; failures: number } & Pending)
  | { kind: "sending"; failures: number }
  | { kind: "closed" };

/** Whether this link asked for a daemon to be started. */
type DaemonStart = { kind: "not_asked" } | { kind: "starting" | "tried"; at: number };

export class DaemonLink {
  readonly #options: DaemonLinkOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #session: AgentSession;
  #kept: Signal[] = [];
  /** Number of the first kept signal. */
  #from = 1;
  #dropped = 0;
  /** The highest number that the daemon has confirmed. */
  #confirmed = 0;
  /** Signals were dropped that the daemon never had. */
  #isIncomplete = false;
  /** The session as last sent to the daemon; null if it has to be sent again. */
  #registered: AgentSession | null = null;
  #daemonStart: DaemonStart = { kind: "not_asked" };
  #settled: (() => void)[] = [];
  #state: LinkState;

  constructor(options: DaemonLinkOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#state = { kind: "waiting", ...this.#arm(0) };
  }

  get droppedSignals(): number {
    return this.#dropped;
  }

  get isConnected(): boolean {
    return this.#isRegistered && failuresIn(this.#state) === 0;
  }

  get #isRegistered(): boolean {
    return this.#registered === this.#session;
  }

  get #hasDelivered(): boolean {
    return this.#isRegistered && this.#kept.length === 0;
  }

  give(signal: Signal): void {
    if (this.#state.kind === "closed") return;
    this.#kept.push(signal);
    if (this.#kept.length > (this.#options.keptMax ?? KEPT_MAX)) {
      // In slices: removing single entries from the front of a long list is quadratic.
      const gone = Math.ceil(this.#kept.length / 10);
      this.#kept.splice(0, gone);
      this.#from += gone;
      this.#dropped += gone;
      this.#isIncomplete = true;
    }
    this.#sendWithin(this.#kept.length >= BATCH_SIGNALS ? 0 : BATCH_MS);
  }

  /** Replaces the description of the session, and sends it. */
  update(session: AgentSession): void {
    this.#session = session;
    this.#registered = null;
    this.#sendWithin(0);
  }

  /**
   * Sends the remaining signals for at most `withinMs`, then closes; at once if no daemon is running or starting. True if
   * the daemon has everything.
   */
  async close(withinMs: number): Promise<boolean> {
    if (!this.#hasDelivered && withinMs > 0) {
      this.#retryNow();
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(resolve, withinMs);
        this.#settled.push(() => {
          clearTimeout(deadline);
          resolve();
        });
      });
    }
    if ("timer" in this.#state) clearTimeout(this.#state.timer);
    this.#state = { kind: "closed" };
    this.#agent.destroy();
    return this.#hasDelivered;
  }

  /** New signals and updates do not shorten a pause after a failure. */
  #sendWithin(ms: number): void {
    const state = this.#state;
    if (state.kind === "idle" || state.kind === "waiting")
      this.#state = { kind: "waiting", ...this.#noLaterThan(state, ms) };
  }

  #retryNow(): void {
    const state = this.#state;
    if (state.kind === "sending") this.#state = { kind: "sending", failures: Math.min(state.failures, 1) };
    else if (state.kind === "backing_off")
      this.#state = { ...state, failures: Math.min(state.failures, 1), ...this.#noLaterThan(state, 0) };
    else this.#sendWithin(0);
  }

  #noLaterThan({ timer, dueAt }: Pending, inMs: number): Pending {
    if (performance.now() + inMs >= dueAt) return { timer, dueAt };
    clearTimeout(timer);
    return this.#arm(inMs);
  }

  #arm(inMs: number): Pending {
    const timer = setTimeout(() => void this.#send(), inMs);
    // Signals that wait for an absent daemon do not keep a host alive whose agent is gone.
    timer.unref();
    return { timer, dueAt: performance.now() + inMs };
  }

  async #send(): Promise<void> {
    this.#state = { kind: "sending", failures: failuresIn(this.#state) };
    const outcome = await this.#attempt();
    const isDone = outcome === "sent" && this.#hasDelivered;
    if (isDone || outcome === "no_daemon") for (const call of this.#settled.splice(0)) call();
    this.#state = this.#next(outcome, isDone);
  }

  async #attempt(): Promise<Outcome> {
    try {
      const isKnown = await this.#sendNext();
      // A daemon that ran for a while and is gone is started again at once; one that dies young, after a minute.
      const start = this.#daemonStart;
      if (start.kind !== "not_asked" && performance.now() - start.at > YOUNG_MS)
        this.#daemonStart = { kind: "not_asked" };
      return isKnown ? "sent" : "forgotten";
    } catch (error) {
      this.#registered = null;
      if (!isAway(error)) return "failed";
      this.#startDaemon();
      return this.#daemonStart.kind === "starting" ? "failed" : "no_daemon";
    }
  }

  #next(outcome: Outcome, isDone: boolean): LinkState {
    const state = this.#state;
    if (state.kind === "closed") return state;
    if (isDone) return { kind: "idle", ...this.#arm(this.#options.heartbeatMs ?? HEARTBEAT_MS) };
    if (outcome === "sent") {
      const isUrgent = this.#kept.length >= BATCH_SIGNALS || this.#settled.length > 0;
      return { kind: "waiting", ...this.#arm(isUrgent ? 0 : BATCH_MS) };
    }
    if (outcome === "forgotten") return { kind: "waiting", ...this.#arm(backOff(1)) };
    const failures = failuresIn(state) + 1;
    return { kind: "backing_off", failures, ...this.#arm(backOff(failures)) };
  }

  /** False if the daemon does not know the session, which has to be sent again. */
  async #sendNext(): Promise<boolean> {
    const path = `/v1/sessions/${encodeURIComponent(this.#session.id)}`;
    const isHeartbeat = this.#kept.length === 0 && (this.#options.isWatching?.() ?? true);
    if (!this.#isRegistered || isHeartbeat) {
      const session = this.#session;
      const { status, acked, resend } = await this.#ask("PUT", path, session);
      if (status !== 200) throw new Error(`the daemon refused the session (${status})`);
      this.#registered = session;
      this.#forget(acked);
      if (resend || this.#isIncomplete || acked < this.#confirmed) this.#options.onLost?.();
      this.#isIncomplete = false;
      this.#confirmed = acked;
    }
    if (this.#kept.length === 0) return true;
    const from = this.#from;
    const signals = this.#kept.slice(0, BATCH_SIGNALS);
    const { status, acked, judged } = await this.#ask("POST", `${path}/signals`, { from, signals });
    if (status === 409 || status === 404) {
      this.#registered = null;
      return false;
    }
    if (status >= 400 && status < 500) {
      // The daemon will never accept these, and later signals must not wait forever.
      this.#dropped += this.#forget(from + signals.length - 1);
      return true;
    }
    if (status === NOT_STORED) await this.#showRest(path, judged);
    if (status !== 200) throw new Error(`the daemon failed (${status})`);
    // Otherwise the same signals would be sent again and again without a pause.
    if (acked < from) throw new Error("the daemon did not acknowledge");
    this.#confirmed = acked;
    this.#forget(acked);
    return true;
  }

  /** The disk of the daemon is full: it judges the signals after `judged` too, and gets all of them again to store them. */
  async #showRest(path: string, judged: number): Promise<void> {
    for (let next = judged + 1; next < this.#from + this.#kept.length; ) {
      const from = Math.max(next, this.#from);
      const signals = this.#kept.slice(from - this.#from).slice(0, BATCH_SIGNALS);
      const answer = await this.#ask("POST", `${path}/signals`, { from, signals, isStored: false });
      if (answer.status !== NOT_STORED || answer.judged < from) return;
      next = answer.judged + 1;
    }
  }

  #forget(acked: number): number {
    const gone = Math.max(0, Math.min(acked - this.#from + 1, this.#kept.length));
    this.#kept.splice(0, gone);
    this.#from += gone;
    return gone;
  }

  #startDaemon(): void {
    const { startDaemon } = this.#options;
    const start = this.#daemonStart;
    const at = performance.now();
    if (!startDaemon || (start.kind !== "not_asked" && at - start.at < CALL_EVERY_MS)) return;
    this.#daemonStart = { kind: "starting", at };
    const tried = (): void => {
      if (this.#daemonStart.kind === "starting") this.#daemonStart = { kind: "tried", at: this.#daemonStart.at };
      this.#retryNow();
    };
    startDaemon().then(tried, tried);
  }

  #ask(method: "PUT" | "POST", path: string, body: unknown): Promise<{ status: number } & Acknowledgement> {
    return new Promise((resolve, reject) => {
      const payload = Buffer.from(JSON.stringify(body));
      const asked = request(
        {
          socketPath: this.#options.socketPath,
          agent: this.#agent,
          method,
          path,
          timeout: TIMEOUT_MS,
          headers: { "content-type": "application/json", "content-length": payload.length },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            if (text.length < ANSWER_CHARS_MAX) text += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, ...acknowledgementOf(text) }));
          response.on("error", reject);
        },
      );
      asked.on("timeout", () => asked.destroy(new Error("the daemon takes too long")));
      asked.on("error", reject);
      asked.end(payload);
    });
  }
}

/** `forgotten`: the daemon does not know the session. `no_daemon`: none is running and none is starting. */
type Outcome = "sent" | "forgotten" | "failed" | "no_daemon";

const failuresIn = (state: LinkState): number => ("failures" in state ? state.failures : 0);

/** Jittered: many hosts lose the same daemon at the same moment. */
function backOff(failures: number): number {
  const base = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1] ?? 100;
  return base * (0.75 + Math.random() / 2);
}

interface Acknowledgement {
  acked: number;
  /** Up to which number the daemon judged signals that it could not store. */
  judged: number;
  /** The daemon asks for everything that can be seen again. */
  resend: boolean;
}

function acknowledgementOf(text: string): Acknowledgement {
  try {
    const { acked, judged, resend } = JSON.parse(text) as Record<string, unknown>;
    return { acked: numberOf(acked), judged: numberOf(judged), resend: resend === true };
  } catch {
    return { acked: 0, judged: 0, resend: false };
  }
}

const numberOf = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) ? value : 0);

/** Nothing listens, or there is no socket: the daemon is not running, rather than busy. */
function isAway(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ECONNREFUSED";
}
