/**
 * Where tasks come from besides `rouse task add`: a tracker or a queue of the user's. It lists, reads, marks, comments and
 * closes. Claim, lease and fence stay rouse's. What a source prints is data: bounded, cleaned, never run and never obeyed.
 */
export interface SourceItem {
  /** Its identity there. */
  key: string;
  title: string;
  description: string;
  steps: readonly string[];
  tags: readonly string[];
  /** Higher is first. */
  priority: number;
  isOpen: boolean;
  /** The user or client that works on it there; null for none. */
  holder: string | null;
}

/** `open`: to be done; nobody works on it. */
export type MarkStatus = "open" | "claimed" | "blocked";

export interface Source {
  /** Open items, also those that somebody works on. */
  list(): Promise<SourceItem[]>;
  /** Null if it does not exist. */
  read(key: string): Promise<SourceItem | null>;
  /** The caller reads first. `isOver`: it read an earlier mark of rouse's own, which this one replaces. */
  mark(key: string, status: MarkStatus, holder: string, isOver?: boolean): Promise<void>;
  /** Takes back a mark that lost against another client's, if both can stand there. */
  withdraw?(key: string, holder: string): Promise<void>;
  comment(key: string, text: string, holder: string): Promise<void>;
  close(key: string, text: string, holder: string): Promise<void>;
}

/** `limited`: asked too often. `broken`: it answered something else than expected. `refused`: it cannot be done. */
export type SourceErrorKind = "unreachable" | "limited" | "broken" | "refused";

export class SourceError extends Error {
  constructor(
    readonly kind: SourceErrorKind,
    message: string,
  ) {
    super(message);
  }
}

/** Never the start of an option, and nothing that a path or a query could be led astray by. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const isKey = (value: unknown): value is string => typeof value === "string" && KEY.test(value);

/** The name under which a session of rouse holds an item. */
export const holderName = ({ agent, node }: { agent: string; node: string }): string =>
  `${agent}@${node}`.replace(/[^A-Za-z0-9._@-]/g, "-").replace(/^[^A-Za-z0-9]+/, "r");
