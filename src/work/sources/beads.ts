/**
 * Beads through `bd` or `br`. Their claim is a change of assignee and status; older releases do it in two steps that another
 * client can come between, so the caller reads before and after it.
 */
import type { SourceSettings } from "../../config/sources.js";
import { type Fields, fieldsList, itemOf, onlyFields } from "./item.js";
import { runJson } from "./run-json.js";
import { type Source, SourceError } from "./source.js";

/** The status of a bead for each mark. */
const STATUS = { open: "open", claimed: "in_progress", blocked: "blocked" } as const;
/** A bead of priority 0 is the most important one. */
const LOWEST = 4;
/** Releases without `--claim`. */
const UNKNOWN_OPTION = /unknown flag|unknown option|unexpected argument/i;
const MISSING = /not found|no issue|no such issue|does not exist/i;

export function beadsSource(settings: SourceSettings & { kind: "beads" }): Source {
  const { program, folder, label } = settings;
  const run = (...args: string[]): Promise<unknown> =>
    runJson([program, ...args, "--json"], { cwd: folder, timeoutMs: settings.timeout_secs * 1000 });
  const only = (one: Fields): boolean =>
    label === undefined || (Array.isArray(one.labels) && one.labels.includes(label));
  const listOf = async (status: string): Promise<Fields[]> =>
    fieldsList(await run("list", "--status", status), program).filter(only);
  return {
    /** `ready` leaves out those that wait for others. */
    list: async () => {
      const [ready, claimed] = [fieldsList(await run("ready"), program).filter(only), await listOf("in_progress")];
      const keys = new Set<unknown>();
      return [...ready, ...claimed]
        .filter(({ id }) => !keys.has(id) && keys.add(id))
        .flatMap((fields) => beadOf(fields) ?? []);
    },
    read: async (key) => {
      const found = await run("show", key).catch((error: unknown) => {
        if (error instanceof SourceError && MISSING.test(error.message)) return null;
        throw error;
      });
      const fields = onlyFields(found, program);
      const item = fields && beadOf(fields);
      if (fields && item?.key !== key) throw new SourceError("broken", `${program} show printed no bead ${key}`);
      return item;
    },
    mark: async (key, status, holder, isOver = false) => {
      const set = (assignee: string): Promise<unknown> =>
        run("update", key, "--status", STATUS[status], "--assignee", assignee);
      if (status !== "claimed") await set("");
      else if (isOver) await set(holder);
      else
        await run("update", key, "--claim", "--actor", holder).catch((error: unknown) => {
          if (error instanceof SourceError && UNKNOWN_OPTION.test(error.message)) return set(holder);
          throw error;
        });
    },
    comment: async (key, text, holder) => void (await run("comments", "add", key, `${holder}: ${text}`)),
    close: async (key, text) => void (await run("close", key, "--reason", text)),
  };
}

function beadOf({ id, title, description, acceptance_criteria, priority, labels, status, assignee }: Fields) {
  const more = typeof acceptance_criteria === "string" && acceptance_criteria !== "" ? acceptance_criteria : null;
  const text = typeof description === "string" ? description : "";
  return itemOf({
    key: id,
    title,
    description: more === null ? text : `${text}\n\nAcceptance criteria:\n${more}`,
    priority: typeof priority === "number" ? LOWEST - priority : 0,
    tags: labels,
    status: status === "tombstone" ? "closed" : status,
    holder: status === "in_progress" ? assignee || "an unnamed agent" : null,
  });
}
