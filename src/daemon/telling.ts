/**
 * Telling: what the book of incidents owes to orchestrators is written into their inboxes, and what it owes to humans into
 * the outbox, in the same transaction as the change of the book that it is about. What is owed is asked anew at every tick and after every start, so a notice that
 * could not be written is written later, and none is written twice.
 */
import type { AgentSession } from "../core/agent.js";
import { createIncidents, type Incidents } from "../core/incident/incident.js";
import type { Due, TellRules } from "../core/message/contents.js";
import { dueCompletion, dueMessages } from "../core/message/due.js";
import type { BookStore } from "../store/book.js";
import type { MessageTable, NewMessage } from "../store/messages.js";
import type { Owed } from "../store/outbox.js";
import type { Alerting } from "./alerting.js";
import type { Follower } from "./loop.js";
import type { Watched } from "./watched.js";

export interface TellingOptions {
  messages: MessageTable;
  rules: TellRules;
  /** Whose inbox it is. */
  receiver: string;
  alerting: Alerting;
  /** Takes alerts out of the outbox. */
  pump: () => void;
  now: () => number;
}

/** What is owed at one moment. */
interface Owing {
  messages: Due[];
  alerts: Owed[];
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
        const owing = this.#owing();
        store.save(book, isNothing(owing) ? null : () => this.#put(owing));
        this.#remember(owing);
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
        if (watched.assessment.state !== "complete") return;
        const due = dueCompletion(watched, this.#lookup, this.#options.rules, now);
        if (due) this.#tell({ messages: [due], alerts: [] });
      },
      gap: (from, to) => next.gap(from, to),
      renamed: (watched, from) => {
        this.#watched.delete(from);
        this.#watched.set(watched.session.name, watched);
        next.renamed(watched, from);
      },
      tick: (now) => {
        next.tick(now);
        this.#tell(this.#owing());
        this.#options.pump();
        if (now - this.#forgotAt >= FORGET_EVERY_MS) this.#forget(now);
      },
      forget: (watched) => {
        next.forget(watched);
        const { name, session } = watched.session;
        if (this.#watched.get(name)?.session.session === session) this.#watched.delete(name);
      },
    };
  }

  get book(): Incidents {
    return this.#book;
  }

  #owing(): Owing {
    const { rules, alerting, now } = this.#options;
    const seen = (agent: string): Watched | null => this.#watched.get(agent) ?? null;
    return {
      messages: dueMessages(this.#book, seen, this.#lookup, rules, now()),
      alerts: alerting.due(this.#book, seen, now()),
    };
  }

  /** What fails here is owed at the next tick too; the journal itself says what is wrong with it. */
  #tell(owing: Owing): void {
    if (isNothing(owing)) return;
    try {
      this.#options.messages.inOne(() => this.#put(owing));
      this.#remember(owing);
    } catch {
      // See above.
    }
  }

  #put({ messages: due, alerts }: Owing): void {
    const { messages, receiver, alerting } = this.#options;
    messages.put(
      due.filter(({ isKnown }) => !isKnown).map((one) => newMessage(one, receiver)),
      due,
    );
    alerting.put(alerts);
  }

  #remember({ messages, alerts }: Owing): void {
    for (const { subject, edge } of messages) this.#told.set(subject, (this.#told.get(subject) ?? new Set()).add(edge));
    this.#options.alerting.remember(alerts);
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
      this.#options.alerting.prune(this.#book, now);
    } catch {
      // Later.
    }
  }
}

const isNothing = ({ messages, alerts }: Owing): boolean => messages.length === 0 && alerts.length === 0;

const NOTHING: ReadonlySet<string> = new Set();

const newMessage = ({ key, type, at, payload }: Due, receiver: string): NewMessage => ({
  receiver,
  key,
  type,
  sender: "rouse",
  at,
  payload,
});

interface WorkerSettings {
  tagsFor: (session: AgentSession) => readonly string[];
  matches: (name: string) => boolean;
  /** The user said who is a worker: nobody else is told of. */
  isOnly: boolean;
  orchestratorTag: string;
}

/** Workers by tag or by name, as the configuration says; the orchestrator itself is told nothing about itself. */
export function workerRules(settings: WorkerSettings): Pick<TellRules, "isWorker" | "isTold" | "isReceiver"> {
  const { tagsFor, matches, isOnly, orchestratorTag } = settings;
  const isWorker = (session: AgentSession): boolean =>
    session.tags.some((tag) => tagsFor(session).includes(tag)) || matches(session.name);
  return {
    isWorker,
    isTold: (session) => !isOnly || isWorker(session),
    isReceiver: (session: AgentSession) => session.tags.includes(orchestratorTag),
  };
}
