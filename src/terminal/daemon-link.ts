/**
 * The way of the signals from a host to the daemon: numbered, in order, kept until the daemon has them.
 *
 * Nothing in here may disturb the agent. Giving a signal only puts it into a list; a batch leaves 100 ms later or when
 * 200 wait. When the daemon does not answer it is started once (by a function that is given), and asked again with
 * growing pauses for as long as the host lives. What it has not acknowledged is kept up to a bound; beyond it the
 * oldest goes, and is counted. While there is nothing to tell, the session is told again as a beat: a host that is
 * stopped, or whose looking failed, falls silent, and the daemon notices.
 *
 *   idle -- give --> waiting (100 ms) -- due --> sending -- acked --> idle, or waiting when more came
 *                                                sending -- failed --> backing off (0.1 s … 10 s) --> sending
 *   idle -- 20 s --> sending the session alone
 */
import { Agent, request } from "node:http";
import type { AgentSession } from "../core/agent.js";
import type { Signal } from "../core/signal.js";

const BATCH_MS = 100;
const BATCH_SIGNALS = 200;
const KEPT_MAX = 20_000;
/** A daemon that was killed is missed within this time, also by a host whose agent is quiet. */
const HEARTBEAT_MS = 4000;
/** A daemon that died so soon after it was called would die again. */
const YOUNG_MS = 3000;
const CALL_EVERY_MS = 60_000;
const BACK_OFF_MS = [100, 200, 500, 1000, 2000, 5000, 10_000] as const;
const TIMEOUT_MS = 5000;
const ANSWER_CHARS_MAX = 64 * 1024;

export interface DaemonLinkOptions {
  socketPath: string;
  session: AgentSession;
  /** Called when no daemon answers, at most once a minute; may fail. */
  startDaemon?: () => Promise<unknown>;
  keptMax?: number;
  heartbeatMs?: number;
  /** Whether the agent is still looked at: a host that only passes bytes on has nothing to vouch for. */
  isWatching?: () => boolean;
}

export class DaemonLink {
  readonly #options: DaemonLinkOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #session: AgentSession;
  #kept: Signal[] = [];
  /** Number of the first kept signal. */
  #from = 1;
  #dropped = 0;
  #failures = 0;
  #registered = false;
  #sending = false;
  #timer: NodeJS.Timeout | null = null;
  #dueAt = Number.POSITIVE_INFINITY;
  #askedForDaemonAt = Number.NEGATIVE_INFINITY;
  #isDaemonComing = false;
  #closed = false;
  #settled: (() => void)[] = [];

  constructor(options: DaemonLinkOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#wake(0);
  }

  get droppedSignals(): number {
    return this.#dropped;
  }

  get isConnected(): boolean {
    return this.#registered && this.#failures === 0;
  }

  give(signal: Signal): void {
    if (this.#closed) return;
    this.#kept.push(signal);
    if (this.#kept.length > (this.#options.keptMax ?? KEPT_MAX)) {
      // In slices: taking a single one off the front of a long list, each time, is quadratic.
      const gone = Math.ceil(this.#kept.length / 10);
      this.#kept.splice(0, gone);
      this.#from += gone;
      this.#dropped += gone;
    }
    if (this.#failures === 0) this.#wake(this.#kept.length >= BATCH_SIGNALS ? 0 : BATCH_MS);
  }

  /** What is known of the session changed. */
  update(session: AgentSession): void {
    this.#session = session;
    this.#registered = false;
    if (this.#failures === 0) this.#wake(0);
  }

  /** Sends what is left, for so long at most, and ends; at once when no daemon is there and none is coming. True when the daemon has everything. */
  async close(withinMs: number): Promise<boolean> {
    const isDone = (): boolean => this.#registered && this.#kept.length === 0;
    if (!isDone() && withinMs > 0) {
      this.#failures = Math.min(this.#failures, 1);
      this.#wake(0);
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(resolve, withinMs);
        this.#settled.push(() => {
          clearTimeout(deadline);
          resolve();
        });
      });
    }
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#agent.destroy();
    return isDone();
  }

  #wake(inMs: number): void {
    const at = performance.now() + inMs;
    if (this.#closed || this.#sending || at >= this.#dueAt) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      void this.#send();
    }, inMs);
    // Signals that wait for an absent daemon do not keep a host alive whose agent is gone.
    this.#timer.unref();
  }

  async #send(): Promise<void> {
    if (this.#sending || this.#closed) return;
    this.#sending = true;
    let ok = false;
    let isHopeless = false;
    try {
      ok = await this.#sendNext();
      this.#failures = 0;
      // One that lived for a while and is gone is called again at once; one that dies young is left alone for a minute.
      if (performance.now() - this.#askedForDaemonAt > YOUNG_MS) this.#askedForDaemonAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.#failures++;
      this.#registered = false;
      if (isAway(error)) this.#callDaemon();
      isHopeless = isAway(error) && !this.#isDaemonComing;
    }
    this.#sending = false;
    if (isHopeless || (ok && this.#kept.length === 0 && this.#registered))
      for (const call of this.#settled.splice(0)) call();
    if (ok && this.#kept.length === 0 && this.#registered) this.#wake(this.#options.heartbeatMs ?? HEARTBEAT_MS);
    else if (ok) this.#wake(this.#kept.length >= BATCH_SIGNALS || this.#settled.length > 0 ? 0 : BATCH_MS);
    else this.#wake(this.#backOff());
  }

  /** False when the daemon forgot the session: it is told again. */
  async #sendNext(): Promise<boolean> {
    const path = `/v1/sessions/${encodeURIComponent(this.#session.id)}`;
    const isHeartbeat = this.#kept.length === 0 && (this.#options.isWatching?.() ?? true);
    if (!this.#registered || isHeartbeat) {
      const session = this.#session;
      const { status, acked } = await this.#ask("PUT", path, session);
      if (status !== 200) throw new Error(`the daemon refused the session (${status})`);
      this.#registered = this.#session === session;
      this.#forget(acked);
    }
    if (this.#kept.length === 0) return true;
    const from = this.#from;
    const signals = this.#kept.slice(0, BATCH_SIGNALS);
    const { status, acked } = await this.#ask("POST", `${path}/signals`, { from, signals });
    if (status === 409 || status === 404) {
      this.#registered = false;
      this.#failures = 1;
      return false;
    }
    if (status >= 400 && status < 500) {
      // It will never take these, and what comes behind them must not wait for ever.
      this.#dropped += this.#forget(from + signals.length - 1);
      return true;
    }
    if (status !== 200) throw new Error(`the daemon failed (${status})`);
    // A daemon that took them but acknowledges less would be sent them again and again.
    if (acked < from) throw new Error("the daemon did not acknowledge");
    this.#forget(acked);
    return true;
  }

  #forget(acked: number): number {
    const gone = Math.max(0, Math.min(acked - this.#from + 1, this.#kept.length));
    this.#kept.splice(0, gone);
    this.#from += gone;
    return gone;
  }

  #backOff(): number {
    const base = BACK_OFF_MS[Math.min(this.#failures, BACK_OFF_MS.length) - 1] ?? 100;
    // Many hosts miss the same daemon at the same moment.
    return base * (0.75 + Math.random() / 2);
  }

  #callDaemon(): void {
    const now = performance.now();
    if (!this.#options.startDaemon || now - this.#askedForDaemonAt < CALL_EVERY_MS) return;
    this.#askedForDaemonAt = now;
    this.#isDaemonComing = true;
    const tried = (): void => {
      this.#isDaemonComing = false;
      this.#failures = Math.min(this.#failures, 1);
      this.#wake(0);
    };
    this.#options.startDaemon().then(tried, tried);
  }

  #ask(method: "PUT" | "POST", path: string, body: unknown): Promise<{ status: number; acked: number }> {
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
          response.on("end", () => resolve({ status: response.statusCode ?? 0, acked: ackedOf(text) }));
          response.on("error", reject);
        },
      );
      asked.on("timeout", () => asked.destroy(new Error("the daemon takes too long")));
      asked.on("error", reject);
      asked.end(payload);
    });
  }
}

function ackedOf(text: string): number {
  try {
    const { acked } = JSON.parse(text) as { acked?: unknown };
    return typeof acked === "number" && Number.isSafeInteger(acked) ? acked : 0;
  } catch {
    return 0;
  }
}

/** Nobody listens, or the socket is not there: the daemon is not running, instead of being busy. */
function isAway(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ENOENT" || code === "ECONNREFUSED";
}
