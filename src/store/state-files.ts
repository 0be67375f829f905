/** Brings the files beside the journal up to date by numbered steps, as `migrations.ts` does with the journal itself. */
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../config/whole-file.js";

type Json = Record<string, unknown>;

const STEPS: readonly ((state: string) => void)[] = [
  // The words of 0.1.0: a right is called control, a session has an id, a transcript was checked.
  (state) => {
    move(state, "looked", "checked");
    move(state, "touches.jsonl", "control.jsonl");
    move(state, "touches.jsonl.old", "control.jsonl.old");
    edit(join(state, "tokens.json"), (file) => ({ ...file, tokens: list(file.tokens).map(withControl) }));
    edit(join(state, "transcripts.json"), (file) =>
      Object.fromEntries(Object.entries(file).map(([id, known]) => [id, renamed(known, "lookedAt", "checkedAt")])),
    );
    const sessions = join(state, "sessions");
    const names = existsSync(sessions) ? readdirSync(sessions).filter((name) => name.endsWith(".json")) : [];
    for (const name of names) edit(join(sessions, name), (file) => renamed(file, "session", "id") as Json);
  },
];

/** An unreadable file is left unchanged: its next reader reports the error. */
export function migrateStateFiles(state: string): void {
  const file = join(state, "state-version");
  const version = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  for (let step = version; step < STEPS.length; step++) {
    STEPS[step]?.(state);
    writeWhole(file, `${step + 1}\n`);
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withControl(token: unknown): unknown {
  if (!isObject(token)) return token;
  return { ...token, rights: list(token.rights).map((right) => (right === "touch" ? "control" : right)) };
}

function renamed(value: unknown, from: string, to: string): unknown {
  if (!isObject(value) || !(from in value)) return value;
  const { [from]: moved, ...rest } = value;
  return { [to]: moved, ...rest };
}

function move(state: string, from: string, to: string): void {
  if (existsSync(join(state, from))) renameSync(join(state, from), join(state, to));
}

function edit(path: string, change: (file: Json) => Json): void {
  if (!existsSync(path)) return;
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isObject(file)) writeWhole(path, `${JSON.stringify(change(file))}\n`);
  } catch {
    // See above.
  }
}
