/** The daemon itself: health, overview, history, what it sees, what it watches. */
import * as z from "zod";
import { ORIGINS } from "../../core/agent.js";
import { STATES } from "../../core/states.js";
import { timeField } from "./fields.js";
import { operation } from "./operation.js";
import { incidentRecord, moveField, texts, time } from "./records.js";
import { taskSummary } from "./task-records.js";

const counts = z.record(z.string(), z.number());
const watchRules = z.object({ programs: z.boolean(), tags: texts, names: texts });

export const DAEMON = {
  health: operation({
    summary:
      "Show whether the daemon is judging, and how far behind its journal is. The health of agents (`rouse health`) is in GET /v1/agents.",
    right: "read",
    method: "get",
    path: "/v1/health",
    input: z.object({}),
    output: z.object({
      ok: z.boolean(),
      version: z.string(),
      pid: z.number(),
      ticks: z.number().describe("completed rounds of checks"),
      since_tick_ms: z.number().nullable().describe("age of the last completed round"),
      judging: z.object({ after_ms: z.number(), cpu_ms: z.number() }).nullable().describe("time of the first round"),
      agents: z.number(),
      sessions: z.number(),
      journal: z.object({ pending: z.number(), failures: z.number() }),
    }),
    surfaces: { library: "health", cli: ["up", "doctor"] },
    example: {},
    run: ({ daemon }) => daemon.health(),
  }),
  line: operation({
    summary: "Summarize all agents in a few figures, for a status line.",
    right: "read",
    method: "get",
    path: "/v1/line",
    input: z.object({}),
    output: z.object({
      ok: z.number().describe("healthy, results and idle agents included"),
      limited: z.number().describe("at a limit"),
      until: time.nullable().describe("end of the first limit"),
      recovering: z.number().describe("being recovered by rouse"),
      stalled: z.number().describe("with a problem that nothing acts on, and that has not escalated to you yet"),
      acknowledged: z.number().describe("acknowledged or silenced"),
      needs_you: z
        .array(z.object({ name: z.string(), why: z.string() }))
        .describe("move is you, without acknowledged problems, results and idle agents"),
      more: z.number().describe("further agents that need you"),
    }),
    surfaces: { library: "line", cli: ["status"] },
    example: {},
    run: ({ daemon }) => daemon.line(),
  }),
  summary: operation({
    summary: "Summarize what happened since a time: states, problems, commits, tests, tokens, incidents.",
    right: "read",
    method: "get",
    path: "/v1/summary",
    input: z.object({ since: timeField, until: timeField.optional().describe("default: now") }),
    output: z.object({
      since: time,
      until: time,
      agents: z.array(
        z.object({
          name: z.string(),
          session: z.string(),
          kind: z.string(),
          origin: z.enum(ORIGINS),
          task: z.string().nullable(),
          from: time,
          to: time,
          state: z.enum(STATES),
          cause: z.string().nullable(),
          move: moveField,
          ended: z.object({ at: time, code: z.number().nullable(), signal: z.number().nullable() }).nullable(),
          states: z.partialRecord(z.enum(STATES), z.number()).describe("seconds in each state"),
          unobserved_secs: z.number().describe("unobserved time"),
          problems: z.array(
            z.object({
              state: z.enum(STATES),
              cause: z.string().nullable(),
              from: time.describe("detection of the problem, ISO 8601"),
              to: time.nullable(),
              duration_secs: z.number(),
              began_before: z.boolean().describe("the problem began before since"),
              followed_by: z.enum(STATES).nullable(),
              reason: z.string().describe("first reason at that time"),
            }),
          ),
          problems_omitted: z.number().describe("number of problems that are not listed"),
          commits: z.number(),
          files: z.number(),
          tests: z.object({ passed: z.number(), failed: z.number() }),
          tokens: z.object({ input: z.number(), output: z.number(), cost_usd: z.number() }),
        }),
      ),
      incidents: z.array(incidentRecord),
      work: z
        .object({
          pending: z.number().describe("now, as processing and blocked"),
          processing: z.number(),
          blocked: z.number(),
          done: z.number().describe("closed since then"),
          failed: z.number(),
          tasks: z.array(taskSummary).describe("held now, or blocked or closed since then; at most 200"),
        })
        .nullable()
        .describe("the queue; null: there are no tasks, or the hub does not answer"),
    }),
    surfaces: { library: "summary", cli: ["summary"] },
    example: { since: "2026-11-15T08:00:00Z" },
    run: ({ daemon }, { since, until }) => daemon.summary(since, until),
  }),
  sources: operation({
    summary: "Show what rouse can and cannot see of each agent.",
    right: "read",
    method: "get",
    path: "/v1/sources",
    input: z.object({}),
    output: z.object({
      agents: z.array(
        z.object({
          name: z.string(),
          session: z.string(),
          kind: z.string(),
          origin: z.enum(ORIGINS),
          version: z.string().nullable(),
          available: texts.describe("available sources"),
          unobserved_reason: z.string().nullable().describe("reason why rouse cannot see the agent"),
          missing: z.array(z.object({ name: z.string(), fix: z.string() })),
        }),
      ),
    }),
    surfaces: { library: "sources", cli: ["doctor", "record"] },
    example: {},
    run: ({ daemon }) => ({ agents: daemon.sources() }),
  }),
  daemon: operation({
    summary: "Show the daemon's journal, port and heartbeats.",
    right: "read",
    method: "get",
    path: "/v1/daemon",
    input: z.object({}),
    output: z.object({
      journal: z.object({
        engine: z.string(),
        schema: z.number(),
        sessions: z.number(),
        signals: z.number(),
        bytes: z.number(),
        lost: z.number().describe("signals that hosts dropped before they were stored"),
        skipped: z.number().describe("stored signals that could not be read"),
        pending: z.number().describe("signals that are not stored yet"),
        commits: z.number(),
        failures: z.number(),
        last_error: z.string().nullable(),
        last_commit_ms: z.number(),
        damage: z
          .object({ at: z.string(), text: z.string() })
          .nullable()
          .describe("what was found to be wrong with the file within the last 24 hours"),
      }),
      http: z.object({
        port: z.number(),
        address: z.string(),
        listening: z.boolean(),
        error: z.string().nullable(),
        hooks: z.number().describe("hooks received"),
        unmatched: z.number().describe("hooks that match no agent"),
        refused: counts.describe("refused requests by reason"),
        telemetry: z.object({
          logs: z.number(),
          points: z.number(),
          spans: z.number(),
          unmatched: z.number(),
          unknown: counts,
        }),
      }),
      heartbeats: z.array(
        z.object({
          to: z.string(),
          every_secs: z.number(),
          last_ok: time.nullable(),
          failures: z.number(),
          error: z.string().nullable(),
        }),
      ),
    }),
    surfaces: { library: "daemon", cli: ["doctor", "status"] },
    example: {},
    run: ({ daemon }) => daemon.show(),
  }),
  watch: operation({
    summary: "Add rules for adopting agents that already run: known programs, tmux tags, pane names.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/watch",
    input: z.object({
      programs: z.boolean().describe("every tmux pane and process with a known agent program"),
      tags: z.array(z.string().max(100)).max(100).default([]),
      names: z.array(z.string().max(200)).max(200).default([]),
      replace: z.boolean().optional().describe("replace earlier rules"),
    }),
    output: watchRules,
    surfaces: { library: "watch", cli: ["watch"] },
    example: { programs: false, tags: ["worker"], names: ["proj"] },
    run: ({ daemon }, rules) => daemon.watch(rules),
  }),
  unwatch: operation({
    summary: "Stop watching adopted agents; they keep running. A later watch adopts them again.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/unwatch",
    input: z.object({ agents: z.array(z.string().min(1).max(200)).min(1).max(100) }),
    output: z.object({ unwatched: texts }),
    surfaces: { library: "unwatch", cli: ["unwatch"] },
    example: { agents: ["proj"] },
    run: ({ daemon }, { agents }) => daemon.unwatch(agents),
  }),
  shut_down: operation({
    summary: "Stop the daemon; agents keep running.",
    right: "admin",
    fromInside: "refused",
    // A full disk must not keep it running.
    audit: "if possible",
    method: "post",
    path: "/v1/shutdown",
    input: z.object({}),
    output: z.object({ ok: z.boolean() }),
    surfaces: { http: false, cli: ["down"] },
    example: {},
    run: ({ daemon }) => daemon.shutDown(),
  }),
} as const;
