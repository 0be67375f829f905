/** Diagnoses that ran, one private file each: the model's input, its answer, rouse's actions, your feedback. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makePrivateFolder } from "../config/paths.js";
import { writeWhole } from "../config/whole-file.js";

const recordSchema = z.object({
  id: z.string(),
  at: z.number(),
  trigger: z.enum(["user", "automatic"]),
  about: z.string().nullable(),
  /** Of everything that was wrong; null if nothing was. */
  key: z.string().nullable().default(null),
  runner: z.string(),
  model: z.string(),
  /** What the rules say, beside the model's opinion. */
  findings: z.array(
    z.object({ about: z.string(), problem: z.string(), reasons: z.array(z.string()), advice: z.string() }),
  ),
  /** Null: no opinion. */
  diagnosis: z.string().nullable(),
  message: z.string().nullable(),
  /** Why there is no opinion. */
  reason: z.string().nullable(),
  actions: z.array(
    z.object({ action: z.string(), result: z.enum(["done", "refused", "failed", "ignored"]), reason: z.string() }),
  ),
  /** The incidents that it explains, and how each ended. */
  outcomes: z
    .array(
      z.object({
        incident: z.string(),
        agent: z.string(),
        problem: z.string(),
        result: z.enum(["open", "recovered", "closed"]),
        /** When it ended. */
        at: z.number().nullable(),
      }),
    )
    .default([]),
  cost_usd: z.number().nullable(),
  took_secs: z.number(),
  feedback: z.enum(["right", "wrong"]).nullable(),
  context: z.string(),
});

export type DiagnosisRecord = z.output<typeof recordSchema>;
/** Without the model's input, which is most of a record. */
export type DiagnosisSummary = Omit<DiagnosisRecord, "context">;

const KEPT_MAX = 500;

export class DiagnosisRecords {
  readonly #folder: string;
  readonly #known = new Map<string, DiagnosisSummary>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  newId(at: number): string {
    return `${Math.floor(at).toString(36)}-${randomBytes(3).toString("hex")}`;
  }

  put(record: DiagnosisRecord): void {
    makePrivateFolder(this.#folder);
    writeWhole(join(this.#folder, `${record.id}.json`), `${JSON.stringify(record)}\n`);
    this.#known.set(record.id, summaryOf(record));
    for (const id of this.#ids().slice(KEPT_MAX)) rmSync(join(this.#folder, `${id}.json`), { force: true });
  }

  /** Newest first. An unreadable file is left out. */
  list(limit = KEPT_MAX): DiagnosisSummary[] {
    return this.#ids()
      .slice(0, limit)
      .flatMap((id) => this.#summary(id) ?? []);
  }

  find(begin: string): DiagnosisRecord | null {
    const [id, second] = this.#ids().filter((one) => one.startsWith(begin));
    return id === undefined || second !== undefined ? null : this.#read(id);
  }

  /** Ids begin with their time. */
  #ids(): string[] {
    try {
      return readdirSync(this.#folder)
        .flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []))
        .sort()
        .reverse();
    } catch {
      return [];
    }
  }

  #summary(id: string): DiagnosisSummary | null {
    const known = this.#known.get(id);
    if (known) return known;
    const record = this.#read(id);
    if (!record) return null;
    const summary = summaryOf(record);
    this.#known.set(id, summary);
    return summary;
  }

  #read(id: string): DiagnosisRecord | null {
    try {
      const parsed = recordSchema.safeParse(JSON.parse(readFileSync(join(this.#folder, `${id}.json`), "utf8")));
      return parsed.success ? parsed.data : null;
    } catch {
      return null;
    }
  }
}

const summaryOf = ({ context: _context, ...summary }: DiagnosisRecord): DiagnosisSummary => summary;
