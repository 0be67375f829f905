/** `--policy FILE|NAME` and `--origin`. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { issueText } from "../config/issue.js";
import { type LoadedPolicies, loadPolicies, readPolicy } from "../config/policies.js";
import { otherNames } from "../config/suggest.js";
import { ORIGINS } from "../core/agent.js";
import type { Policy, SessionOrigin } from "../core/policy/policy.js";
import { sanitize } from "../core/text/sanitize.js";
import { loadSettings } from "./settings.js";
import { WrongOption } from "./wrong-option.js";

export function knownPolicies(): LoadedPolicies {
  const { health, check } = loadSettings();
  return loadPolicies({ ...health, auto_resume_hours: check.auto_resume_hours });
}

/** A name or a path: a value that ends in .toml or contains a slash is a path. */
export function policyOf(given: string, { policies, issues }: LoadedPolicies = knownPolicies()): Policy {
  const known = (name: string): Policy | undefined => policies.get(name)?.policy;
  if (given.endsWith(".toml") || given.includes("/")) {
    const read = readPolicy(given, known);
    if ("policy" in read) return read.policy;
    throw new WrongOption(issueText(read));
  }
  return policyNamed(given, { policies, issues });
}

/** By name. Policies of the user are files, which may be broken. */
export function policyNamed(given: string, { policies, issues }: LoadedPolicies = knownPolicies()): Policy {
  const found = policies.get(given)?.policy;
  if (found) return found;
  const broken = issues.find(({ where }) => where.endsWith(`/${given}.toml`));
  if (broken) throw new WrongOption(issueText(broken));
  throw new WrongOption(
    `unknown policy ${JSON.stringify(sanitize(given, 80))}; ${otherNames(given, [...policies.keys()])}`,
  );
}

export function parseOrigin(given: string): SessionOrigin {
  const origin = ORIGINS.find((candidate) => candidate === given);
  if (!origin) throw new InvalidArgumentError(`It must be one of ${ORIGINS.join(", ")}.`);
  return origin;
}
