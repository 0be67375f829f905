/**
 * All policies: the built-in ones, and the files of the folder `policies` beside the user's configuration. A project has
 * none, because an agent can write to its folder.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { POLICIES } from "../core/policy/builtin.js";
import { type PolicyKeys, withHealth } from "../core/policy/health.js";
import type { Policy } from "../core/policy/policy.js";
import { readTrustedFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { rousePaths } from "./paths.js";
import { type OwnPolicy, type PolicyMistake, parsePolicy } from "./policy-file.js";

export interface LoadedPolicies {
  policies: ReadonlyMap<string, OwnPolicy>;
  issues: ConfigIssue[];
}

const FILES_MAX = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

type Env = Readonly<Record<string, string | undefined>>;
type FileText = ReturnType<typeof readTrustedFile>;

/** Few projects differ in these keys; an agent that keeps changing them costs time, not memory. */
const MADE_MAX = 100;

/**
 * The user's files, read once, and the resulting policies under the keys of `health`: a project may be stricter about
 * those, so the policies are not the same for all agents.
 */
export class PolicyFiles {
  readonly #files: readonly { path: string; text: FileText }[];
  readonly #made = new Map<string, LoadedPolicies>();

  constructor(env: Env = process.env) {
    this.#files = policyFiles(join(rousePaths(env).config, "policies")).map((path) => ({
      path,
      text: readTrustedFile(path),
    }));
  }

  /** The keys apply to the built-in policies, and so to those that extend them. */
  under(health: PolicyKeys): LoadedPolicies {
    const { enabled, auto_kill_on_idle, auto_kill_on_repeated_error, rate_limit_backoff_seconds, auto_resume_hours } =
      health;
    const key = [
      enabled,
      auto_kill_on_idle,
      auto_kill_on_repeated_error,
      rate_limit_backoff_seconds,
      auto_resume_hours,
    ].join();
    const known = this.#made.get(key);
    if (known) return known;
    const made = this.#make(health);
    if (this.#made.size >= MADE_MAX) this.#made.clear();
    this.#made.set(key, made);
    return made;
  }

  #make(health: PolicyKeys): LoadedPolicies {
    const policies = new Map<string, OwnPolicy>(
      Object.entries(POLICIES).map(([name, policy]) => [
        name,
        { policy: withHealth(policy, health), tags: [], agents: [] },
      ]),
    );
    const issues: ConfigIssue[] = [];
    const own = new OwnPolicies(this.#files, (name) => policies.get(name)?.policy);
    for (const { path } of this.#files) {
      const loaded = own.load(path);
      if ("policy" in loaded) policies.set(loaded.policy.name, loaded);
      else issues.push(loaded);
    }
    return { policies, issues };
  }
}

/** The files may extend each other in any order. */
class OwnPolicies {
  readonly #files: ReadonlyMap<string, FileText>;
  readonly #builtin: (name: string) => Policy | undefined;
  readonly #loaded = new Map<string, OwnPolicy | ConfigIssue>();
  /** The files that are being read, each extended by the one before. */
  readonly #chain: string[] = [];

  constructor(files: readonly { path: string; text: FileText }[], known: (name: string) => Policy | undefined) {
    this.#files = new Map(files.map(({ path, text }) => [path, text]));
    const builtin = new Map(Object.keys(POLICIES).map((name) => [name, known(name)]));
    this.#builtin = (name) => builtin.get(name);
  }

  load(path: string): OwnPolicy | ConfigIssue {
    const before = this.#loaded.get(path);
    if (before) return before;
    this.#chain.push(path);
    const isTaken = this.#builtin(nameOf(path)) !== undefined;
    const loaded = isTaken
      ? issueIn(path, "a built-in policy has this name; rename the file")
      : policyIn(path, this.#files.get(path) ?? null, (name) => this.#base(path, name));
    this.#chain.pop();
    this.#loaded.set(path, loaded);
    return loaded;
  }

  #base(path: string, name: string): Policy | string {
    const builtin = this.#builtin(name);
    if (builtin) return builtin;
    const base = join(dirname(path), `${name}.toml`);
    if (!this.#files.has(base)) return unknownPolicy(name);
    if (this.#chain.includes(base)) return `${[...this.#chain.map(nameOf), name].join(" extends ")}: a circle`;
    const loaded = this.load(base);
    return "policy" in loaded ? loaded.policy : `the policy ${JSON.stringify(name)} has an error`;
  }
}

const unknownPolicy = (name: string): string => `unknown policy ${JSON.stringify(name)}`;

export function loadPolicies(health: PolicyKeys, env: Env = process.env): LoadedPolicies {
  return new PolicyFiles(env).under(health);
}

/** A policy file at any path, such as that of `--policy`. It may extend any known policy. */
export function readPolicy(path: string, known: (name: string) => Policy | undefined): OwnPolicy | ConfigIssue {
  return policyIn(path, readTrustedFile(path), (name) => known(name) ?? unknownPolicy(name));
}

const nameOf = (path: string): string => basename(path, ".toml");

const issueIn = (where: string, text: string, position?: ConfigIssue["position"]): ConfigIssue => ({
  level: "error",
  where,
  text,
  position,
});

function policyIn(path: string, text: FileText, known: (name: string) => Policy | string): OwnPolicy | ConfigIssue {
  const name = nameOf(path);
  if (!NAME.test(name))
    return issueIn(path, "a policy file must be named NAME.toml, with up to 63 letters, digits, - and _ in NAME");
  if (text === null) return issueIn(path, "no such file");
  if (typeof text !== "string") return text;
  try {
    return parsePolicy(name, text, known);
  } catch (error) {
    const { message, position } = error as PolicyMistake;
    return issueIn(path, `${message}; the policy is not used`, position);
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

/** The policy of an agent: the one it was started with, else by its name, else by a tag, else the given default. */
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
  // An unknown name gives no rights.
  return found?.policy ?? POLICIES.observe;
}
