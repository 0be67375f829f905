/**
 * The incident state as rows: one per incident, action, outage, silence and so on. A save writes the changes since the
 * last one, in one transaction that is on the disk when it returns: a saved intent is known after any crash.
 */
import { createIncidentState, type IncidentState } from "../core/incidents/incident.js";
import { isIncidentEntry } from "./incident-schema.js";
import { type Database, inTransaction } from "./sqlite.js";

export interface IncidentStore {
  load(): IncidentState;
  /**
   * Throws if it could not be stored; then nothing was. `alongside` is stored in the same transaction, or not at all.
   */
  save(incidentState: IncidentState, alongside?: (() => void) | null): void;
}

type List = keyof IncidentState;

/** The key of an entry in its list. */
const ID_OF: { readonly [L in List]: (entry: IncidentState[L][number]) => string } = {
  incidents: ({ id }) => id,
  outages: ({ id }) => id,
  actions: ({ id }) => id,
  silences: ({ agent, problem, at }) => JSON.stringify([agent, problem, at]),
  feedback: ({ agent, problem }) => JSON.stringify([agent, problem]),
  missed: ({ agent, at }) => JSON.stringify([agent, at]),
  blind: ({ agent }) => agent,
  asleep: ({ from }) => String(from),
};
const LISTS = Object.keys(ID_OF) as List[];

export class IncidentTable implements IncidentStore {
  readonly #database: Database;
  /** Stored rows, by list and id. */
  #stored = new Map<string, { list: List; id: string; record: string }>();
  /** Rows that the last `load` could not read. */
  unreadable = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** An unreadable entry is left out and removed with the next save; the others stay. */
  load(): IncidentState {
    const incidentState = createIncidentState();
    this.#stored.clear();
    this.unreadable = 0;
    for (const row of this.#database.prepare("select list, id, record from incident_state order by list, id").all()) {
      const [list, id, record] = [String(row.list) as List, String(row.id), String(row.record)];
      this.#stored.set(keyOf(list, id), { list, id, record });
      const entry = parse(record);
      if (LISTS.includes(list) && isIncidentEntry(list, entry)) (incidentState[list] as object[]).push(entry);
      else this.unreadable++;
    }
    incidentState.incidents.sort((a, b) => a.openedAt - b.openedAt);
    incidentState.outages.sort((a, b) => a.openedAt - b.openedAt);
    incidentState.actions.sort((a, b) => a.at - b.at);
    incidentState.silences.sort((a, b) => a.at - b.at);
    incidentState.missed.sort((a, b) => a.at - b.at);
    incidentState.asleep.sort((a, b) => a.from - b.from);
    return incidentState;
  }

  save(incidentState: IncidentState, alongside: (() => void) | null = null): void {
    const wanted = rowsOf(incidentState);
    const changed = [...wanted.values()].filter(
      ({ list, id, record }) => this.#stored.get(keyOf(list, id))?.record !== record,
    );
    const removed = [...this.#stored.values()].filter(({ list, id }) => !wanted.has(keyOf(list, id)));
    if (changed.length === 0 && removed.length === 0 && alongside === null) return;
    const put = this.#database.prepare(
      "insert into incident_state (list, id, record) values (?, ?, ?) on conflict (list, id) do update set record = excluded.record",
    );
    const remove = this.#database.prepare("delete from incident_state where list = ? and id = ?");
    inTransaction(this.#database, () => {
      for (const { list, id, record } of changed) put.run(list, id, record);
      for (const { list, id } of removed) remove.run(list, id);
      alongside?.();
    });
    this.#stored = wanted;
  }
}

type StoredRow = { list: List; id: string; record: string };

function rowsOf(incidentState: IncidentState): Map<string, StoredRow> {
  const rows = new Map<string, StoredRow>();
  for (const list of LISTS) {
    const idOf = ID_OF[list] as (entry: object) => string;
    for (const entry of incidentState[list] as object[]) {
      const id = idOf(entry);
      rows.set(keyOf(list, id), { list, id, record: JSON.stringify(entry) });
    }
  }
  return rows;
}

const keyOf = (list: List, id: string): string => `${list} ${id}`;

function parse(record: string): unknown {
  try {
    return JSON.parse(record);
  } catch {
    return null;
  }
}
