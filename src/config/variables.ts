/** Environment variables: those that set a key, and rouse's other ones. */
import type { ConfigKey } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import { suggestName } from "./suggest.js";

const PREFIX = "ROUSE_";

/** Other variables that rouse reads, or passes to the programs that it runs; not configuration keys. */
const OTHERS = [
  "HOME",
  "DAEMON",
  "SESSION",
  "OWN",
  "AGENT",
  "PROBLEM",
  "INCIDENT",
  "ATTEMPT",
  "ALERT_KEY",
  "CHECK",
  "FULL",
];
const OTHERS_BEGIN = ["AGENT_"];

/** The variables that set a key, by precedence. */
export function variablesOf(full: string, key: ConfigKey): string[] {
  const own = `${PREFIX}${full.replace(".", "_").toUpperCase()}`;
  return key.variable ? [key.variable, own] : [own];
}

/** Names without the prefix, and the meaning of each: a user may name a key without its section. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...[...KEY_BY_NAME.keys()].map((full): [string, string] => [
    full.slice(full.indexOf(".") + 1).toUpperCase(),
    `${PREFIX}${full.replace(".", "_").toUpperCase()}`,
  ]),
  ...OTHERS.map((name): [string, string] => [name, `${PREFIX}${name}`]),
  ...[...KEY_BY_NAME].flatMap(([full, key]) =>
    variablesOf(full, key).map((variable): [string, string] => [variable.slice(PREFIX.length), variable]),
  ),
]);

/** Unknown variables with rouse's prefix, with the one that was probably meant. */
export function strayVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; near: string | null }[] {
  const sections = new Set([...KEY_BY_NAME.keys()].map((full) => `${full.split(".")[0]?.toUpperCase()}_`));
  return Object.keys(env).flatMap((name) => {
    const rest = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || NAMES.get(rest) === name || OTHERS_BEGIN.some((begin) => rest.startsWith(begin)))
      return [];
    const near = suggestName(rest, NAMES.keys());
    // A name without a similar one may belong to another program; a name that starts like a section is a typo.
    if (near === null && ![...sections].some((section) => rest.startsWith(section))) return [];
    return [{ name, near: near === null ? null : (NAMES.get(near) ?? null) }];
  });
}
