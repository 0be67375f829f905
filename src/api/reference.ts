/** The reference part of docs/api.md, written from the table of operations. `npm run docs:api` runs it; a test compares. */
import * as z from "zod";
import type { FromInside } from "./from-inside.js";
import { alertRecord } from "./operations/alerts.js";
import { describeExpected, type JsonSchema, jsonSchemaOf } from "./operations/explain.js";
import { fleetAgentRecord } from "./operations/fleet.js";
import { OPERATIONS } from "./operations/index.js";
import { LOCAL_COMMANDS } from "./operations/local-commands.js";
import type { Operation } from "./operations/operation.js";
import {
  agentRecord,
  incidentRecord,
  messageRecord,
  outcomeRecord,
  sessionRecord,
  timelineRecord,
  watchdogRecord,
} from "./operations/records.js";
import { checkpointRecord, claimRecord, taskRecord } from "./operations/task-records.js";

interface Shape extends JsonSchema {
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  $ref?: string;
  $defs?: Record<string, Shape>;
}

interface Field {
  path: string;
  type: string;
  meaning: string;
}

/** Records that have a heading of their own. */
const RECORDS = {
  Agent: agentRecord,
  Incident: incidentRecord,
  Message: messageRecord,
  Alert: alertRecord,
  Outcome: outcomeRecord,
  Session: sessionRecord,
  Timeline: timelineRecord,
  Watchdog: watchdogRecord,
  Task: taskRecord,
  Claim: claimRecord,
  Checkpoint: checkpointRecord,
  FleetAgent: fleetAgentRecord,
} as const satisfies Record<string, z.ZodType>;

for (const [id, record] of Object.entries(RECORDS))
  z.globalRegistry.add(record, { ...z.globalRegistry.get(record), id });

const NOUNS: Readonly<Record<string, readonly string[]>> = {
  Agents: [
    "agents",
    "status",
    "why",
    "read_pane",
    "screen",
    "screens",
    "sessions",
    "spawn",
    "send_input",
    "recover",
    "stop",
    "rename",
    "report",
    "resume_prompt",
  ],
  "Agents over time": ["history", "strips"],
  Activity: ["get_activity", "check"],
  Incidents: ["incidents", "incident", "ack", "feedback", "missed", "metrics"],
  Messages: ["messages", "send_message", "ack_messages", "inboxes"],
  Alerts: ["alerts", "alert_status", "test_alert", "retry_alerts", "dismiss_alerts"],
  Diagnosis: ["diagnose", "diagnosis_context", "diagnoses", "diagnosis_feedback"],
  Work: [
    "tasks",
    "task",
    "next_task",
    "add_task",
    "edit_task",
    "fork_task",
    "comment_task",
    "decide_task",
    "claim_task",
    "checkpoint",
    "finish_task",
    "release_task",
    "locks",
    "take_lock",
    "release_lock",
  ],
  Fleet: ["fleet", "fleet_agent", "fleet_command"],
  "Permissions and silences": ["permissions", "allow", "silences", "silence"],
  "Audit trail": ["audit", "audit_check", "accept_audit"],
  "Watchdog timers": ["watchdogs", "watchdog_start", "watchdog_stop"],
  "The dashboard": ["client", "web_login"],
  "The daemon": ["health", "line", "summary", "sources", "daemon", "watch", "unwatch", "shut_down"],
  "Commands that the command line carries out itself": Object.keys(LOCAL_COMMANDS),
};

const FROM_INSIDE: Readonly<Record<FromInside, string>> = {
  allowed: "allowed",
  itself: "only about that agent",
  orchestrators: "only by an orchestrator",
  workers: "only to workers, by an orchestrator",
  "itself or workers": "only to that agent or to workers, by an orchestrator",
  refused: "refused",
};

export function apiReference(): string {
  const table: Readonly<Record<string, Operation>> = OPERATIONS;
  const unlisted = Object.keys(table).filter((name) => !Object.values(NOUNS).flat().includes(name));
  if (unlisted.length > 0) throw new Error(`src/api/reference.ts does not list ${unlisted.join(", ")}`);
  const nouns = Object.entries(NOUNS).map(
    ([noun, names]) =>
      `### ${noun}\n\n${names.map((name) => operationText(name, table[name] as Operation)).join("\n")}`,
  );
  const records = Object.entries(RECORDS).map(([id, record]) => recordText(id, record));
  return `${nouns.join("\n")}\n### Records\n\n${records.join("\n")}`;
}

function operationText(name: string, row: Operation): string {
  const { summary, right, fromInside, method, path, input, output, surfaces } = row;
  const offers = [
    `Right: \`${right}\``,
    ...(surfaces.http ? [] : ["socket only"]),
    ...(surfaces.mcp.length > 0 ? [`MCP: ${code(surfaces.mcp)}`] : []),
    ...(surfaces.library === null ? [] : [`library: \`${surfaces.library}\``]),
    ...(surfaces.cli.length > 0 ? [`CLI: ${code(surfaces.cli.map((command) => `rouse ${command}`))}`] : []),
    ...(right === "read" ? [] : [`inside of a watched agent: ${FROM_INSIDE[fromInside]}`]),
  ];
  const inputs = inputFields(input);
  return [
    `#### ${name}`,
    "",
    `\`${method.toUpperCase()} ${path}\`: ${summary}`,
    "",
    `${offers.join("; ")}.`,
    "",
    ...(inputs.length > 0 ? ["| input | expected | meaning |", "|---|---|---|", ...inputs.map(fieldRow), ""] : []),
    "```sh",
    curlOf(row),
    "```",
    "",
    ...responseLines(schemaOf(output)),
    "",
  ].join("\n");
}

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
const fieldRow = ({ path, type, meaning }: Field): string => `| \`${path}\` | ${type} | ${meaning} |`;

function inputFields(input: z.ZodObject): Field[] {
  const { required = [] } = jsonSchemaOf(input) as Shape;
  return Object.entries(input.shape as Record<string, z.ZodType>).map(([path, schema]) => {
    const expected = jsonSchemaOf(schema);
    const notes = [
      ...(expected.description === undefined ? [] : [expected.description]),
      ...(required.includes(path) ? ["required"] : []),
      ...(expected.default === undefined ? [] : [`default ${JSON.stringify(expected.default)}`]),
    ];
    return { path, type: cell(describeExpected(expected)), meaning: cell(notes.join("; ")) };
  });
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** As a user would type it: a test runs each of them. */
function curlOf({ method, path, example, surfaces }: Operation): string {
  const left: Record<string, unknown> = { ...example };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(left[field]);
    delete left[field];
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    Object.entries(left).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
  const target = method === "get" && query !== "" ? `${filled}?${query}` : filled;
  const where = surfaces.http ? `"$ROUSE${target}"` : `--unix-socket "$SOCKET" "http://rouse${target}"`;
  const auth = surfaces.http ? ' -H "Authorization: Bearer $TOKEN"' : "";
  const body = method === "post" ? ` -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(left)}'` : "";
  return `curl -sS${auth}${body} \\\n  ${where}`;
}

const schemaOf = (schema: z.ZodType): Shape => z.toJSONSchema(schema, { unrepresentable: "any" }) as Shape;

function responseLines(schema: Shape): string[] {
  const id = idOf(schema);
  if (id !== null) return [`Response: ${linkTo(id)}.`];
  const agent = Object.keys(agentRecord.shape);
  const isAgent = agent.every((field) => schema.properties?.[field] !== undefined);
  const shown = fieldsOf(schema).filter(({ path }) => !isAgent || !agent.includes(path.split(/[.[]/)[0] as string));
  return [
    isAgent ? `Response: all fields of ${linkTo("Agent")}, and:` : "Response:",
    "",
    "| field | type | meaning |",
    "|---|---|---|",
    ...shown.map(fieldRow),
  ];
}

/** A schema that is one of the records as a whole. */
function idOf({ $ref }: Shape): string | null {
  return $ref === undefined ? null : ($ref.split("/").at(-1) ?? null);
}

const linkTo = (id: string): string => `[${id}](#${id.toLowerCase()})`;

function recordText(id: string, record: z.ZodType): string {
  const whole = schemaOf(record);
  const schema = whole.$ref === undefined ? whole : (whole.$defs?.[id] as Shape);
  const head = `#### ${id}\n`;
  const variants = variantsOf(schema);
  if (variants.length === 0)
    return [head, "| field | type | meaning |", "|---|---|---|", ...fieldsOf(schema, id).map(fieldRow), ""].join("\n");
  return [head, ...variantLines(variants)].join("\n");
}

const variantsOf = (schema: Shape): Shape[] =>
  [...(schema.oneOf ?? schema.anyOf ?? [])].flatMap((one) => (one.properties ? [one] : variantsOf(one)));

/** They differ from message to message, and select its payload. */
const ORIGIN_FIELDS: readonly Field[] = [
  { path: "source", type: '"rouse" or "client"', meaning: "whether rouse or a client created it" },
  { path: "msg_type", type: "string", meaning: "type of the message, such as worker.stuck" },
];

/** Fields that all messages of rouse share, then those of each type. */
function variantLines(variants: readonly Shape[]): string[] {
  const typeOf = ({ properties }: Shape): string => JSON.stringify(properties?.msg_type?.const);
  const own = variants.filter(({ properties }) => properties?.source?.const === "rouse");
  const all = own.map((variant) => fieldsOf(variant));
  const isVaried = ({ path }: Field): boolean => path === "msg_type" || path === "source";
  const isCommon = (field: Field): boolean =>
    !isVaried(field) && all.every((fields) => fields.some((other) => fieldRow(other) === fieldRow(field)));
  const table = (fields: readonly Field[]): string[] => [
    "| field | type | meaning |",
    "|---|---|---|",
    ...fields.map(fieldRow),
    "",
  ];
  return [
    "A message with `source` `rouse` has the payload of its `msg_type`. One with `source` `client` was sent by a client: its",
    "`payload` is any JSON value, and rouse has not checked it. Fields of all messages of rouse:",
    "",
    ...table([...ORIGIN_FIELDS, ...(all[0] ?? []).filter(isCommon)]),
    ...own.flatMap((variant, at) => [
      `${typeOf(variant)} also has:`,
      "",
      ...table((all[at] ?? []).filter((field) => !isCommon(field) && !isVaried(field))),
    ]),
  ];
}

/** Every field with its path: `spend.tokens`, `steps[].do`. `own` is the record that is described. */
function fieldsOf(schema: Shape, own: string | null = null, prefix = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => fieldAt(`${prefix}${name}`, field, own));
}

function fieldAt(path: string, field: Shape, own: string | null): Field[] {
  const choices = field.anyOf ?? [];
  const isNullable = choices.some(({ type }) => type === "null") || field.type?.includes("null") === true;
  const inner = choices.find(({ type }) => type !== "null") ?? field;
  const meaning = cell(field.description ?? inner.description ?? "");
  const orNull = isNullable ? " or null" : "";
  const id = idOf(inner);
  if (id !== null) return [{ path, type: `${linkTo(id)}${orNull}`, meaning }];
  if (inner.type === "array" && inner.items) {
    const itemId = idOf(inner.items);
    if (itemId !== null) return [{ path, type: `list of ${linkTo(itemId)}${orNull}`, meaning }];
    if (inner.items.properties)
      return [{ path, type: `list of objects${orNull}`, meaning }, ...fieldsOf(inner.items, own, `${path}[].`)];
    const item = inner.items.anyOf?.find(({ type }) => type !== "null");
    const itemType = typeOf(item ?? inner.items);
    const noun = itemType.startsWith("`") ? itemType : `${itemType}s`;
    return [{ path, type: `list of ${noun}${item ? " or null" : ""}${orNull}`, meaning }];
  }
  if (inner.properties) return [{ path, type: `object${orNull}`, meaning }, ...fieldsOf(inner, own, `${path}.`)];
  return [{ path, type: cell(`${typeOf(inner)}${orNull}`), meaning }];
}

function typeOf({ type, enum: values, const: value, additionalProperties }: Shape): string {
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.length > 12 ? "string" : values.map((one) => `\`${String(one)}\``).join(", ");
  if (type === "object" && typeof additionalProperties === "object")
    return `object of ${typeOf(additionalProperties)}s`;
  return typesOf(type).join(" or ");
}

/** In JSON Schema `type` is a list if null is allowed. */
const typesOf = (type: string | readonly string[] = "any"): readonly string[] =>
  [type].flat().filter((one) => one !== "null");
