/** The stand-ins for trackers, each with its issues in a folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceSettings } from "../../src/config/sources.js";

export interface StandInFaults {
  /** Every Nth call of a client fails, one kind after the other. */
  every: number;
  kinds: readonly ("lost" | "limit" | "broken")[];
  /** No call takes longer than about twice this. */
  delayMs: number;
}

interface Issue {
  id: string;
  title: string;
  isOpen: boolean;
  holder: string | null;
}

interface State {
  issues: Record<string, Record<string, unknown>>;
  comments: { key: string; text: string }[];
  calls: Record<string, number>;
}

/** How an issue is written and read in each tracker. */
interface Shape {
  program: string;
  settings: (program: string, folder: string) => object;
  write: (id: string, title: string, holder: string | null) => Record<string, unknown>;
  isOpen: (issue: Record<string, unknown>) => boolean;
  holder: (issue: Record<string, unknown>, comments: readonly string[]) => string | null;
}

const SHAPES: Readonly<Record<SourceSettings["kind"], Shape>> = {
  beads: {
    program: "bd.mjs",
    settings: (program, folder) => ({ kind: "beads", program, folder }),
    write: (id, title, holder) => ({
      id,
      title,
      description: `About ${title}`,
      priority: 2,
      labels: ["rouse"],
      status: holder === null ? "open" : "in_progress",
      assignee: holder ?? "",
    }),
    isOpen: ({ status }) => status !== "closed",
    holder: ({ status, assignee }) => (status === "in_progress" ? String(assignee) : null),
  },
  github: {
    program: "gh.mjs",
    settings: (program) => ({ kind: "github", program, repo: "o/r", label: "rouse" }),
    write: (id, title, holder) => ({
      id,
      title,
      body: `About ${title}`,
      state: "open",
      labels: [{ name: "rouse", by: "owner" }],
      assignees: holder === null ? [] : [holder],
      updated_at: "1",
    }),
    isOpen: ({ state }) => state === "open",
    holder: ({ assignees }, comments) => {
      const [first] = assignees as string[];
      return first === "bot" ? (/claim (\S+)/.exec(comments.join("\n"))?.[1] ?? "bot") : (first ?? null);
    },
  },
  command: {
    program: "queue.mjs",
    settings: (program) => ({
      kind: "command",
      ...Object.fromEntries(["list", "read", "mark", "comment", "close"].map((name) => [name, [program]])),
    }),
    write: (key, title, holder) => ({
      key,
      title,
      description: `About ${title}`,
      status: holder === null ? "open" : "claimed",
      holder,
    }),
    isOpen: ({ status }) => status !== "closed",
    holder: ({ holder }) => (holder as string | null) ?? null,
  },
};

export class Tracker {
  readonly folder: string;
  readonly settings: SourceSettings;
  readonly #file: string;
  readonly #shape: Shape;

  /** Sets STAND_INS, which the stand-ins read. */
  constructor(kind: SourceSettings["kind"], { settleMs = 0 } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "rouse-tracker-"));
    this.#file = join(this.folder, "issues.json");
    this.#shape = SHAPES[kind];
    const program = join(import.meta.dirname, "..", "stand-ins", this.#shape.program);
    this.settings = {
      name: "tracker",
      project: "shop",
      poll_secs: 60,
      timeout_secs: 30,
      settle_secs: settleMs / 1000,
      ...this.#shape.settings(program, this.folder),
    } as SourceSettings;
    process.env.STAND_INS = this.folder;
    this.#write({ issues: {}, comments: [], calls: {} });
  }

  add(
    id: string,
    title: string,
    { holder = null, ...more }: { holder?: string | null; [field: string]: unknown } = {},
  ) {
    const state = this.#read();
    state.issues[id] = { ...this.#shape.write(id, title, holder), ...more };
    this.#write(state);
  }

  issue(id: string): Issue {
    const { issues } = this.#read();
    const issue = issues[id] ?? {};
    return {
      id,
      title: String(issue.title),
      isOpen: this.#shape.isOpen(issue),
      holder: this.#shape.holder(issue, this.comments(id)),
    };
  }

  comments(id: string): string[] {
    return this.#read()
      .comments.filter(({ key }) => key === id)
      .map(({ text }) => text);
  }

  fields(id: string): Record<string, unknown> {
    return this.#read().issues[id] ?? {};
  }

  setFaults(faults: StandInFaults): void {
    writeFileSync(join(this.folder, "faults.json"), JSON.stringify(faults));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #read(): State {
    return JSON.parse(readFileSync(this.#file, "utf8")) as State;
  }

  #write(state: State): void {
    writeFileSync(this.#file, JSON.stringify(state));
  }
}
