/** All commands and their files. A named command is loaded alone, to start quickly. */
import type { CommandEntry } from "./command-entry.js";

export const COMMANDS: readonly CommandEntry[] = [
  { names: ["run"], load: async () => (await import("./commands/run.js")).addRun },
  { names: ["spawn"], load: async () => (await import("./commands/spawn.js")).addSpawn },
  { names: ["attach"], load: async () => (await import("./commands/attach.js")).addAttach },
  { names: ["logs"], load: async () => (await import("./commands/logs.js")).addLogs },
  { names: ["type"], load: async () => (await import("./commands/type.js")).addType },
  { names: ["stop"], load: async () => (await import("./commands/stop.js")).addStop },
  { names: ["recover"], load: async () => (await import("./commands/recover.js")).addRecover },
  { names: ["allow"], load: async () => (await import("./commands/allow.js")).addAllow },
  { names: ["watch", "unwatch"], load: async () => (await import("./commands/watch.js")).addWatch },
  { names: ["status", "health", "why"], load: async () => (await import("./commands/status.js")).addStatus },
  { names: ["check"], load: async () => (await import("./commands/check.js")).addCheck },
  { names: ["summary"], load: async () => (await import("./commands/summary.js")).addSummary },
  {
    names: ["incidents", "silence", "ack", "feedback"],
    load: async () => (await import("./commands/incidents.js")).addIncidents,
  },
  { names: ["audit"], load: async () => (await import("./commands/audit.js")).addAudit },
  { names: ["metrics"], load: async () => (await import("./commands/metrics.js")).addMetrics },
  { names: ["alert"], load: async () => (await import("./commands/alert.js")).addAlert },
  { names: ["task"], load: async () => (await import("./commands/task.js")).addTask },
  { names: ["messages"], load: async () => (await import("./commands/messages.js")).addMessages },
  { names: ["demo"], load: async () => (await import("./commands/demo/demo.js")).addDemo },
  { names: ["hook", "report", "checkpoint"], load: async () => (await import("./quick-help.js")).addQuick },
  { names: ["up", "down"], load: async () => (await import("./commands/daemon.js")).addDaemon },
  { names: ["init"], load: async () => (await import("./commands/init.js")).addInit },
  { names: ["doctor"], load: async () => (await import("./commands/doctor/doctor.js")).addDoctor },
  { names: ["completions"], load: async () => (await import("./commands/completions.js")).completionsOf(COMMANDS) },
  { names: ["token"], load: async () => (await import("./commands/token.js")).addToken },
  { names: ["mcp"], load: async () => (await import("./commands/mcp.js")).addMcp },
  { names: ["fleet"], load: async () => (await import("./commands/fleet.js")).addFleet },
  { names: ["config"], load: async () => (await import("./commands/config.js")).addConfig },
  { names: ["policy"], load: async () => (await import("./commands/policy.js")).addPolicy },
  { names: ["record"], load: async () => (await import("./commands/record/record.js")).addRecord },
  { names: ["replay"], load: async () => (await import("./commands/replay.js")).addReplay },
  { names: ["eval"], load: async () => (await import("./commands/eval.js")).addEval },
];

/** Groups of commands in the help. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Agents:": ["run", "spawn", "attach", "logs", "type", "stop", "recover", "allow", "watch", "unwatch"],
  "Status:": [
    "status",
    "health",
    "why",
    "incidents",
    "silence",
    "ack",
    "feedback",
    "check",
    "summary",
    "audit",
    "metrics",
    "demo",
    "doctor",
  ],
  "Work:": ["task"],
  "Messages and alerts:": ["messages", "alert"],
  "Recordings and policies:": ["record", "replay", "eval", "policy"],
  "Daemon, hooks, configuration:": ["up", "down", "init", "config", "token", "fleet", "completions", "help"],
  "Run by programs:": ["checkpoint", "report", "hook", "mcp"],
};

export const groupOf = (name: string): string =>
  Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? "More:";

/** Commands of other tools, and their names in rouse. */
export const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["list", "status"],
  ["ls", "status"],
  ["ps", "status"],
  ["top", "status --watch"],
  ["start", "run, spawn or up"],
  ["exec", "run"],
  ["send", "type, or messages send"],
  ["kill", "stop"],
  ["tail", "logs --follow"],
  ["log", "logs"],
  ["restart", "recover --restart"],
  ["test", "policy test or alert test"],
  ["version", "--version"],
]);
