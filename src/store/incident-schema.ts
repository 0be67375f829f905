/** Validates stored incident data, so that a damaged row costs that row and never a later step. */
import * as z from "zod";
import { ACTION_NAMES, type Proof } from "../core/action.js";
import { type IncidentState, PHASES } from "../core/incidents/incident.js";
import { PROBLEMS } from "../core/incidents/problem.js";

const problem = z.enum(PROBLEMS);
const at = z.number();
const name = z.string();

const feedback = z.enum(["false-alarm", "right"]);

const outcome = z.looseObject({
  intent: name,
  at,
  result: z.enum(["done", "refused", "failed", "unknown"]),
  reason: name,
  proven: z.boolean().nullable(),
});

/** Loose: unknown fields of a newer rouse are kept. */
const SCHEMAS = {
  incidents: z.looseObject({
    id: name,
    agent: name,
    session: name,
    kind: name,
    account: name.nullable(),
    isAdopted: z.boolean().exactOptional(),
    problem,
    chain: z.array(problem),
    phase: z.enum(PHASES),
    openedAt: at,
    since: at,
    stalledAt: at.exactOptional(),
    confirmedAt: at.nullable(),
    escalated: z
      .looseObject({
        at,
        reason: name,
        wouldDo: z.enum(ACTION_NAMES).nullable(),
        overBudget: z.literal(true).exactOptional(),
      })
      .nullable(),
    endedAt: at.nullable(),
    ends: z.array(z.looseObject({ at, phase: z.enum(["recovered", "closed"]), turnAt: at.nullable() })).exactOptional(),
    withheld: z.array(z.looseObject({ at, do: z.enum(ACTION_NAMES), problem })).exactOptional(),
    seenAt: at,
    quietSince: at.nullable(),
    level: z.enum(["report", "act"]),
    confidence: z.number(),
    until: at.nullable(),
    reasons: z.array(name),
    outage: name.nullable(),
    ackedAt: at.nullable(),
    feedback: feedback.nullable(),
    reopened: z.number(),
    returned: z.number().exactOptional(),
    opinion: z.looseObject({ id: name, at, text: name, message: name.nullable() }).exactOptional(),
    budget: name.exactOptional(),
  }),
  outages: z.looseObject({
    id: name,
    group: z.enum(["limit", "service", "login", "machine"]),
    shared: name,
    openedAt: at,
    members: z.array(name),
    provenAt: at.nullable(),
    endedAt: at.nullable(),
    escalatedAt: at.nullable().exactOptional(),
  }),
  actions: z.looseObject({
    id: name,
    at,
    incident: name,
    agent: name,
    session: name.exactOptional(),
    problem: problem.exactOptional(),
    do: z.enum(ACTION_NAMES),
    deadlineMs: z.number(),
    // Development versions wrote other words, which prove nothing.
    proof: z.custom<Proof>((value) => typeof value === "string"),
    waitMs: z.number(),
    outcome: outcome.nullable(),
  }),
  silences: z.looseObject({ agent: name.nullable(), problem: problem.nullable(), at, until: at }),
  feedback: z.looseObject({ agent: name, problem, falseAlarms: z.number(), right: z.number() }),
  missed: z.looseObject({ agent: name, at, problem: problem.nullable() }),
  blind: z.looseObject({ agent: name, since: at }),
  asleep: z.looseObject({ from: at, to: at, lostMs: z.number().exactOptional() }),
} satisfies { readonly [L in keyof IncidentState]: z.ZodType<IncidentState[L][number]> };

/** Whether the entry has the shape of its list. */
export const isIncidentEntry = (list: keyof IncidentState, value: unknown): value is object =>
  SCHEMAS[list].safeParse(value).success;
