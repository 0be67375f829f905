/** The JSON Schema of a configuration file, for editors. */
import { agentSchema } from "./agents.js";
import { channelSchema } from "./channels.js";
import { CONFIG_VERSION } from "./file.js";
import type { ConfigKey } from "./key.js";
import { KEYS } from "./keys.js";
import { projectSchema } from "./own-check.js";
import { presetSchema } from "./presets.js";
import { sourceSchema } from "./sources.js";
import { variablesOf } from "./variables.js";

export function configSchema(): Record<string, unknown> {
  const sections = Object.entries<Record<string, ConfigKey>>(KEYS).map(([section, keys]) => [
    section,
    {
      type: "object",
      additionalProperties: false,
      properties: {
        ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, keySchema(`${section}.${name}`, key)])),
        ...(section === "work" ? { sources: SOURCES } : {}),
      },
    },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "rouse configuration",
    type: "object",
    additionalProperties: false,
    properties: {
      version: { type: "integer", maximum: CONFIG_VERSION, description: "Layout version of the file." },
      ...Object.fromEntries(sections),
      channels: {
        type: "object",
        description: "Alert channels, one table each; only in your own file.",
        additionalProperties: channelSchema(),
      },
      presets: {
        type: "object",
        description: "Programs with their model for `rouse spawn --preset`, one table each; only in your own file.",
        additionalProperties: presetSchema(),
      },
      projects: {
        type: "object",
        description: "Settings of projects, one table each; only in your own file.",
        additionalProperties: projectSchema(),
      },
      agents: {
        type: "object",
        description: "Agents that rouse may start for tasks, one table each; only in your own file.",
        additionalProperties: agentSchema(),
      },
    },
  };
}

const SOURCES: object = {
  type: "object",
  description: "Trackers and queues that tasks come from, one table each; only in your own file.",
  additionalProperties: sourceSchema(),
};

const TYPES: Readonly<Record<ConfigKey["type"], Record<string, unknown>>> = {
  boolean: { type: "boolean" },
  integer: { type: "integer" },
  number: { type: "number" },
  text: { type: "string" },
  pattern: { type: "string" },
  list: { type: "array", items: { type: "string" } },
};

function keySchema(full: string, key: ConfigKey): Record<string, unknown> {
  return {
    ...TYPES[key.type],
    ...(key.choices === undefined
      ? {}
      : key.type === "list"
        ? { items: { enum: key.choices } }
        : { enum: key.choices }),
    description: key.description,
    default: key.default,
    ...(key.min === undefined ? {} : { minimum: key.min }),
    ...(key.max === undefined ? {} : { maximum: key.max }),
    "x-variables": variablesOf(full, key),
    "x-project-file": key.project,
  };
}
