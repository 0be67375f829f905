/**
 * The command that verifies tasks without a check of their own, from the user's own file: `[work] check`, or `[projects.NAME]
 * check` for one project. No project file and no variable counts: an agent can write the one and set the other.
 */
import { join } from "node:path";
import * as z from "zod";
import type { Config } from "./keys.js";
import { loadConfig } from "./load.js";
import { rousePaths } from "./paths.js";
import { tablesOf } from "./tables.js";

const schema = z.strictObject({
  check: z.array(z.string().min(1).max(2_000)).max(100).describe("command that verifies its tasks; [] for none"),
});

/** For editors. */
export const projectSchema = (): object => ({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });

export interface OwnCheck {
  /** Empty: none. */
  command: readonly string[];
  /** The section of the file. */
  work: Config["work"];
}

type Env = Readonly<Record<string, string | undefined>>;
const PLACES = ["ROUSE_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

/** Throws an error for the user if the table of the project is wrong: a typo must not close a task unverified. */
export function ownCheck(project: string, env: Env = process.env): OwnCheck {
  const own = Object.fromEntries(PLACES.map((name) => [name, env[name]]));
  const { work } = loadConfig({ projects: false, env: own }).config;
  const file = join(rousePaths(own).config, "config.toml");
  const { tables } = tablesOf(file, "projects");
  if (project === "" || !Object.hasOwn(tables, project)) return { command: work.check, work };
  const parsed = schema.safeParse(tables[project]);
  if (!parsed.success)
    throw new Error(
      `${file}: [projects.${project}] must have the one key check, a list of texts such as ["npm", "test"]`,
    );
  return { command: parsed.data.check, work };
}
