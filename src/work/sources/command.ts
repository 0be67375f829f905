/** A queue behind the user's own commands: each gets a JSON document on its standard input and prints JSON. */
import type { SourceSettings } from "../../config/sources.js";
import { fieldsList, isFields, itemOf } from "./item.js";
import { runJson } from "./run-json.js";
import { type Source, SourceError } from "./source.js";

export function commandSource(settings: SourceSettings & { kind: "command" }): Source {
  const timeoutMs = settings.timeout_secs * 1000;
  const run = (operation: "list" | "read" | "mark" | "comment" | "close", about: object): Promise<unknown> => {
    const command = settings[operation];
    return command
      ? runJson(command, { cwd: settings.folder, timeoutMs, input: { operation, ...about } })
      : Promise.resolve(null);
  };
  return {
    list: async () => {
      const answer = await run("list", {});
      const items = isFields(answer) ? answer.items : answer;
      return fieldsList(items ?? null, "list").flatMap((fields) => itemOf(fields) ?? []);
    },
    read: async (key) => {
      const answer = await run("read", { key });
      if (answer === null) return null;
      const item = isFields(answer) ? itemOf({ key, ...answer }) : null;
      if (item?.key !== key) throw new SourceError("broken", `read printed no item ${key}`);
      return item;
    },
    mark: async (key, status, holder) => void (await run("mark", { key, status, holder })),
    comment: async (key, text, holder) => void (await run("comment", { key, text, holder })),
    close: async (key, text, holder) => void (await run("close", { key, text, holder })),
  };
}
