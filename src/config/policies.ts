/**
 * The policies that there are: the built-in ones, and the files of the folder `policies` beside the user's configuration. A
 * project has none: it lies where an agent can write.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { POLICIES } from "../core/policy/builtin.js";
import { withHealth } from "../core/policy/health.js";
import type { Policy } from "../core/policy/policy.js";
import { readOwnFile } from "./file.js";
import type { Config } from "./keys.js";
import { rousePaths } from "./paths.js";
import { type OwnPolicy, parsePolicy } from "./policy-file.js";
import type { Problem } from "./problem.js";

export interface LoadedPolicies {
  policies: ReadonlyMap<string, OwnPolicy>;
  problems: Problem[];
}

const FILES_MAX = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** The keys of `health` hold for the built-in policies, and so for what extends them. */
export function loadPolicies(
  health: Config["health"],
  env: Readonly<Record<string, string | undefined>> = process.env,
): LoadedPolicies {
  const policies = new Map<string, OwnPolicy>(
    Object.entries(POLICIES).map(([name, policy]) => [
      name,
      { policy: withHealth(policy, health), tags: [], agents: [] },
    ]),
  );
  const problems: Problem[] = [];
  for (const path of policyFiles(join(rousePaths(env).config, "policies"))) {
    const loaded = readPolicy(path, (name) => policies.get(name)?.policy);
    if ("policy" in loaded && !policies.has(loaded.policy.name)) policies.set(loaded.policy.name, loaded);
    else if ("policy" in loaded)
      problems.push({ level: "error", where: path, text: "a built-in policy has this name; rename the file" });
    else problems.push(loaded);
  }
  return { policies, problems };
}

/** A policy file anywhere, such as one that `--policy` names. It may extend any policy that is known before it. */
export function readPolicy(path: string, known: (name: string) => Policy | undefined): OwnPolicy | Problem {
  const problem = (text: string): Problem => ({ level: "error", where: path, text });
  const name = basename(path, ".toml");
  if (!NAME.test(name))
    return problem("a policy is a file NAME.toml, of at most 63 letters, digits, - and _ in its name");
  const text = readOwnFile(path);
  if (text === null) return problem("there is no such file");
  if (typeof text !== "string") return text;
  try {
    return parsePolicy(name, text, known);
  } catch (error) {
    return problem(`${(error as Error).message}; the policy is not used`);
  }
}

function policyFiles(folder: string): string[] {
  try {
    const found = readdirSync(folder).filter((name) => name.endsWith(".toml"));
    return found
      .sort()
      .slice(0, FILES_MAX)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Which policy an agent has: the one it was started with, one for its name, one for a tag of it, else the given one. */
export function policyFor(
  policies: LoadedPolicies["policies"],
  agent: { name: string; tags: readonly string[]; policy: string | null },
  otherwise: string,
): Policy {
  const all = [...policies.values()];
  const found =
    agent.policy === null
      ? (all.find(({ agents }) => agents.includes(agent.name)) ??
        all.find(({ tags }) => tags.some((tag) => agent.tags.includes(tag))) ??
        policies.get(otherwise))
      : policies.get(agent.policy);
  // A name that does not exist, any more or by a slip, gives no rights.
  return found?.policy ?? POLICIES.observe;
}
