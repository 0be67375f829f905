import type { ProcessRule } from "../program.js";

/** Commands of Goose that serve, set up or ask for something. */
const OWN = [
  "acp",
  "bench",
  "completion",
  "configure",
  "doctor",
  "gateway",
  "help",
  "info",
  "local-models",
  "mcp",
  "plugin",
  "recipe",
  "schedule",
  "serve",
  "skills",
  "term",
  "update",
  "validate-extensions",
  "web",
];

/** A tool for database migrations has the same name. These are its commands and drivers. */
const MIGRATIONS = [
  "clickhouse",
  "create",
  "down",
  "down-to",
  "env",
  "fix",
  "mssql",
  "mysql",
  "postgres",
  "redo",
  "reset",
  "sqlite3",
  "status",
  "turso",
  "up",
  "up-by-one",
  "up-to",
  "validate",
  "version",
];

export const process: ProcessRule = { name: "goose", paths: [], others: new Set([...OWN, ...MIGRATIONS]) };
