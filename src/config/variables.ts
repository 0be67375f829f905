/** The variables of the environment: those that set a key, and those that rouse has beside them. */
import type { ConfigKey } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import { suggestName } from "./suggest.js";

const PREFIX = "ROUSE_";

/** They say where rouse is and who asks, or are handed to what it runs: no keys of the configuration. */
const OTHERS = ["HOME", "DAEMON", "SESSION", "OWN", "AGENT", "PROBLEM", "INCIDENT", "ATTEMPT", "ALERT_KEY", "FULL"];
const OTHERS_BEGIN = ["AGENT_"];

/** The variables that set a key, the one that wins first. */
export function variablesOf(full: string, key: ConfigKey): string[] {
  const own = `${PREFIX}${full.replace(".", "_").toUpperCase()}`;
  return key.variable ? [key.variable, own] : [own];
}

/** Names without the prefix, and what each stands for: a key may also have been meant that was named without its section. */
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

/** Variables that look like rouse's own and are none, with the one that was probably meant. */
export function strayVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; near: string | null }[] {
  const sections = new Set([...KEY_BY_NAME.keys()].map((full) => `${full.split(".")[0]?.toUpperCase()}_`));
  return Object.keys(env).flatMap((name) => {
    const rest = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || NAMES.get(rest) === name || OTHERS_BEGIN.some((begin) => rest.startsWith(begin)))
      return [];
    const near = suggestName(rest, NAMES.keys());
    // What is like nothing may be somebody else's; what begins like a section is meant for it.
    if (near === null && ![...sections].some((section) => rest.startsWith(section))) return [];
    return [{ name, near: near === null ? null : (NAMES.get(near) ?? null) }];
  });
}
