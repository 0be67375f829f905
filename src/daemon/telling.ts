/**
 * Telling: what the book of incidents owes to orchestrators is written into their inboxes, in the same transaction as the
 * change of the book that it is about. What is owed is asked anew at every tick and after every start, so a notice that
 * could not be written is written later, and none is written twice.
 */
import type { AgentSession } from "../core/agent.js";
import { createIncidents, type Incidents } from "../core/incident/incident.js";
import { type Due, dueCompletion, dueMessages, type TellRules } from "../core/message/due.js";
import type { BookStore } from "../store/book.js";
import type { MessageTable, NewMessage } from "../store/messages.js";
import type { Follower } from "./loop.js";
import type { Watched } from "./watched.js";

export interface TellingOptions {
  messages: MessageTable;
  rules: TellRules;
  /** Whose inbox it is. */
  receiver: string;
  now: () => number;
}

/** What was told about whom nobody knows any more is forgotten this often. */
const FORGET_EVERY_MS = 3_600_000;

export class Telling {
  readonly #options: TellingOptions;
  readonly #told: Map<string, Set<string>>;
  readonly #watched = new Map<string, Watched>();
  #book: Incidents = createIncidents();
  #forgotAt: number;

  constructor(options: TellingOptions) {
    this.#options = options;
    this.#told = options.messages.told();
    this.#forgotAt = options.now();
  }

  /** The store of the book, with what is to be told written alongside. */
  over(store: BookStore): BookStore {
    return {
      load: () => {
        this.#book = store.load();
        return this.#book;
      },
      save: (book) => {
        this.#book = book;
        const due = this.#due();
        store.save(book, due.length === 0 ? null : () => this.#put(due));
        this.#remember(due);
      },
    };
  }

  /** Whoever acts comes first: what they change is what is told. */
  follow(next: Follower): Follower {
    return {
      judged: (watched, now) => {
        const { name, startedAt } = watched.session;
        if ((this.#watched.get(name)?.session.startedAt ?? 0) <= startedAt) this.#watched.set(name, watched);
        next.judged(watched, now);
        if (watched.assessment.state === "complete") this.#tell(this.#completion(watched, now));
      },
      gap: (from, to) => next.gap(from, to),
      tick: (now) => {
        next.tick(now);
        this.#tell(this.#due());
        if (now - this.#forgotAt >= FORGET_EVERY_MS) this.#forget(now);
      },
      forget: (watched) => {
        next.forget(watched);
        const { name, session } = watched.session;
        if (this.#watched.get(name)?.session.session === session) this.#watched.delete(name);
      },
    };
  }

  #due(): Due[] {
    const { rules, now } = this.#options;
    return dueMessages(this.#book, (agent) => this.#watched.get(agent) ?? null, this.#lookup, rules, now());
  }

  #completion(watched: Watched, now: number): Due[] {
    const due = dueCompletion(watched, this.#lookup, this.#options.rules, now);
    return due ? [due] : [];
  }

  /** What fails here is owed at the next tick too; the journal itself says what is wrong with it. */
  #tell(due: readonly Due[]): void {
    if (due.length === 0) return;
    try {
      this.#options.messages.inOne(() => this.#put(due));
      this.#remember(due);
    } catch {
      // See above.
    }
  }

  #put(due: readonly Due[]): void {
    const { messages, receiver } = this.#options;
    messages.put(
      due.filter(({ isKnown }) => !isKnown).map((one) => newMessage(one, receiver)),
      due,
    );
  }

  #remember(due: readonly Due[]): void {
    for (const { subject, edge } of due) this.#told.set(subject, (this.#told.get(subject) ?? new Set()).add(edge));
  }

  readonly #lookup = { of: (subject: string): ReadonlySet<string> => this.#told.get(subject) ?? NOTHING };

  #forget(now: number): void {
    this.#forgotAt = now;
    const known = new Set([
      ...this.#book.incidents.map(({ id }) => id),
      ...[...this.#watched.values()].map(({ session }) => session.session),
    ]);
    const gone = [...this.#told.keys()].filter((subject) => !known.has(subject.slice(0, subject.lastIndexOf("."))));
    try {
      this.#options.messages.forget(gone);
      for (const subject of gone) this.#told.delete(subject);
    } catch {
      // Later.
    }
  }
}

const NOTHING: ReadonlySet<string> = new Set();

const newMessage = ({ key, type, at, payload }: Due, receiver: string): NewMessage => ({
  receiver,
  key,
  type,
  sender: "rouse",
  at,
  payload,
});

/** Workers by tag or by name, as the configuration says; the orchestrator itself is told nothing about itself. */
export function workerRules(
  tags: readonly string[],
  matches: (name: string) => boolean,
  orchestratorTag: string,
): Pick<TellRules, "isWorker" | "isReceiver"> {
  return {
    isWorker: (session: AgentSession) => session.tags.some((tag) => tags.includes(tag)) || matches(session.name),
    isReceiver: (session: AgentSession) => session.tags.includes(orchestratorTag),
  };
}
