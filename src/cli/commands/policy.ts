/** `rouse policy`: the recovery plan for each problem, and a trial of it on a virtual clock. */
import { type Command, Option } from "@commander-js/extra-typings";
import { policyFields } from "../../config/policy-schema.js";
import { NO_PROFILE } from "../../core/agent.js";
import { AGENT_PROBLEMS, type Problem } from "../../core/incidents/problem.js";
import type { Assessment } from "../../core/judgement/assess.js";
import { periodSpend } from "../../core/judgement/period-spend.js";
import type { Policy, SessionOrigin } from "../../core/policy/policy.js";
import { traitsOf } from "../../core/policy/problems.js";
import type { Cause } from "../../core/states.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { type SimulatedAction, WhatIf } from "../../core/what-if.js";
import { canDoWith } from "../../effects/index.js";
import { textFor } from "../../effects/keys/texts.js";
import { PROGRAMS } from "../../programs/registry.js";
import { parseProblem } from "../options.js";
import { knownPolicies, parseOrigin, policyOf } from "../policy-option.js";
import { reportIssues } from "../settings.js";
import { isColoured, paintText } from "../text/paint.js";
import { policyText } from "../text/policy.js";
import { clockText } from "../text/timeline.js";
import { foldText } from "../text/width.js";

export function addPolicy(program: Command, setExit: (code: number) => void): void {
  const policy = program.command("policy").summary("Show and try recovery policies");
  policy
    .command("show")
    .summary("List the policies, or show one")
    .description(
      "Print a policy: the recovery steps for each problem, in order, with limits and waits. Without an argument, list\n" +
        "the policies. Your own policies are files in the folder policies next to your configuration.",
    )
    .argument("[policy]", "name or file of a policy")
    .option("--json", "print JSON")
    .action((given, options) => {
      const loaded = knownPolicies();
      // Before the issues: an error in the file of this policy is reported once.
      const found = given === undefined ? null : policyOf(given, loaded);
      reportIssues(loaded.issues);
      if (loaded.issues.length > 0) setExit(1);
      if (found === null) {
        const policies = [...loaded.policies.values()].map(({ policy: { name, description }, tags, agents }) => ({
          name,
          description,
          tags,
          agents,
        }));
        const rows = policies
          .map(({ name, description }) => `${sanitize(name).padEnd(20)} ${sanitize(description)}\n`)
          .join("");
        const lines = foldText(rows, process.stdout, 21);
        process.stdout.write(options.json ? `${sanitizedJson({ policies }, 2)}\n` : lines);
        return;
      }
      process.stdout.write(
        options.json
          ? `${sanitizedJson({ policy: { name: found.name, ...policyFields(found) } }, 2)}\n`
          : foldText(policyText(found, isColoured(process.stdout)), process.stdout),
      );
    });
  policy
    .command("test")
    .summary("Try a policy on a virtual clock")
    .description(
      "Try a policy on a virtual clock and print when each step would run, counted from the first suspicion.\n" +
        "Assumes that the problem lasts and that no step helps. Ignores the program's own timeout, so a real\n" +
        "interrupt may come later.",
    )
    .argument("[policy]", "name or file of a policy", "default")
    .addOption(new Option("--problem <problem>", "only this problem (see docs/states.md)").argParser(parseProblem))
    .addOption(
      new Option("--origin <origin>", "how rouse knows the agent: run, spawn, tmux, transcript (another terminal)")
        .default("spawn" as SessionOrigin, "spawn")
        .argParser(parseOrigin),
    )
    .option("--json", "print JSON")
    .action((given, options) => {
      const found = policyOf(given);
      const problems = options.problem ? [options.problem] : AGENT_PROBLEMS;
      const tried = problems.map((problem) => ({ problem, wouldDo: trial(found, problem, options.origin) }));
      if (options.json) {
        const shown = tried.map(({ problem, wouldDo }) => ({
          problem,
          planned_steps: wouldDo.map(({ at, do: name, say, reason }) => ({
            t: at / 1000,
            do: name,
            ...(say ? { say } : {}),
            reason,
          })),
        }));
        process.stdout.write(`${sanitizedJson({ policy: found.name, origin: options.origin, trials: shown }, 2)}\n`);
      } else
        for (const { problem, wouldDo } of tried)
          process.stdout.write(foldText(trialText(problem, wouldDo), process.stdout));
    });
}

const TRIAL_MS = 24 * 3_600_000;
const STEPS_MAX = 5000;
/** Reported before it is certain, so that the confirm window shows. */
const KINDS: Assessment["kinds"] = ["screen", "record"];

const OVERSPENT = periodSpend(
  [{ tokens: 2, costUsd: 0, unpriced: 0 }],
  { from: 0, to: TRIAL_MS },
  { tokens_per_night: 1 },
);

/** A program that supports every action its origin permits. */
const RESUMABLE = PROGRAMS.find(({ profile }) => profile.resume.byId !== null)?.profile.id ?? NO_PROFILE;

function trial(policy: Policy, problem: Problem, origin: SessionOrigin): SimulatedAction[] {
  const whatIf = new WhatIf({ policy, origin, can: canDoWith({ kind: RESUMABLE, origin }, []) });
  let now = 0;
  let isEscalated = false;
  for (let step = 0; step < STEPS_MAX && now <= TRIAL_MS; step++) {
    const assessment: Assessment = {
      ...stateOf(problem),
      confidence: 0.9,
      until: null,
      reasons: [],
      level: "act",
      kinds: KINDS,
      at: now,
      ruleset: 1,
      recheckAt: null,
    };
    const spend = problem === "over_budget" ? OVERSPENT : null;
    const next = whatIf.assess(assessment, { spend });
    if (isEscalated && next === null) break;
    const soonest = isEscalated ? Number.POSITIVE_INFINITY : now + 30_000;
    now = Math.max(now + 1000, Math.min(next ?? now + 30_000, soonest));
    // The next step shows whether a last nudge follows.
    isEscalated = whatIf.wouldDo.some(({ do: name }) => name === "escalate");
  }
  return whatIf.wouldDo;
}

function stateOf(problem: Problem): Pick<Assessment, "state" | "cause"> {
  const { state } = traitsOf(problem);
  const isCause = state !== null && state !== problem;
  return { state: state ?? "working", cause: isCause ? (problem as Cause) : null };
}

function trialText(problem: Problem, wouldDo: readonly SimulatedAction[]): string {
  const colour = isColoured(process.stdout);
  const lines = wouldDo.map(({ at, do: name, say, reason }) => {
    const why =
      name === "escalate"
        ? `escalate: ${sanitize(reason.replace(/^needs you: /, ""))}`
        : `${name}${say ? ` "${textFor(say)}"` : ""}`;
    return `${clockText(at / 1000).padStart(11)}  ${why}\n`;
  });
  return `${paintText(problem, "bold", colour)}\n${lines.join("")}`;
}
