/**
 * Unpacks OTLP/HTTP in JSON: records and data points with their attributes as plain values. Exporters disagree about
 * numbers (`intValue` is a number in one and a string in another), so both are read. Anything of another shape is
 * skipped, and a batch is read up to a limit.
 */
import { arrayAt, asRecord, numberAt, recordAt, stringAt } from "./json.js";

export type Attributes = ReadonlyMap<string, string | number | boolean>;

export interface OtlpRecord {
  name: string;
  /** Wall-clock milliseconds; null if the record has no time. */
  at: number | null;
  attributes: Attributes;
  resource: Attributes;
}

export interface OtlpPoint extends OtlpRecord {
  /** The sum of a histogram, else the value. */
  value: number;
  isCumulative: boolean;
}

const RECORDS_MAX = 5000;
const ATTRIBUTES_MAX = 200;
const NANOS_PER_MS = 1e6;
const CUMULATIVE = 2;
const EVENT_NAME = /^\w{1,50}(?:\.\w{1,50}){1,5}$/;

export function otlpLogs(body: unknown): OtlpRecord[] {
  return scopesOf(body, "resourceLogs", "scopeLogs")
    .flatMap(({ resource, scope }) => arrayAt(scope, "logRecords").map((record) => ({ resource, record })))
    .slice(0, RECORDS_MAX)
    .map(({ resource, record }) => {
      const attributes = attributesOf(record);
      // Some programs give the name as the body; other bodies are lines of a log.
      const body = stringAt(record, "body", "stringValue") ?? "";
      const name = attributes.get("event.name") ?? (EVENT_NAME.test(body) ? body : "");
      return {
        name: String(name),
        // Codex leaves the time at 0.
        at: millis(record, "timeUnixNano") ?? millis(record, "observedTimeUnixNano"),
        attributes,
        resource,
      };
    });
}

export function otlpPoints(body: unknown): OtlpPoint[] {
  return scopesOf(body, "resourceMetrics", "scopeMetrics")
    .flatMap(({ resource, scope }) => arrayAt(scope, "metrics").map((metric) => ({ resource, metric })))
    .slice(0, RECORDS_MAX)
    .flatMap(({ resource, metric }) => {
      const data = recordAt(metric, "sum") ?? recordAt(metric, "histogram") ?? recordAt(metric, "gauge");
      const isCumulative = numberAt(data, "aggregationTemporality") === CUMULATIVE;
      return arrayAt(data, "dataPoints").map((point) => ({
        name: stringAt(metric, "name") ?? "",
        at: millis(point, "timeUnixNano"),
        attributes: attributesOf(point),
        resource,
        value: numberAt(point, "asDouble") ?? numericValue(asRecord(point)?.asInt) ?? numberAt(point, "sum") ?? 0,
        isCumulative,
      }));
    })
    .slice(0, RECORDS_MAX);
}

/** The number of spans in a batch; nothing else is read from them. */
export function otlpSpans(body: unknown): number {
  return scopesOf(body, "resourceSpans", "scopeSpans").reduce(
    (sum, { scope }) => sum + arrayAt(scope, "spans").length,
    0,
  );
}

function scopesOf(body: unknown, outer: string, inner: string): { resource: Attributes; scope: unknown }[] {
  return arrayAt(body, outer)
    .slice(0, RECORDS_MAX)
    .flatMap((each) => {
      const resource = attributesOf(recordAt(each, "resource"));
      return arrayAt(each, inner).map((scope) => ({ resource, scope }));
    });
}

function attributesOf(of: unknown): Attributes {
  const found = new Map<string, string | number | boolean>();
  for (const attribute of arrayAt(of, "attributes").slice(0, ATTRIBUTES_MAX)) {
    const key = stringAt(attribute, "key");
    const value = recordAt(attribute, "value");
    if (key === undefined || value === undefined) continue;
    const plain = value.stringValue ?? value.boolValue ?? numericValue(value.intValue) ?? value.doubleValue;
    if (typeof plain === "string" || typeof plain === "boolean" || Number.isFinite(plain)) {
      found.set(key, plain as string | number | boolean);
    }
  }
  return found;
}

/** A number, or the text of one. */
export function numericValue(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d{1,19}(?:\.\d{1,19})?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function millis(record: unknown, key: string): number | null {
  const nanos = numericValue(asRecord(record)?.[key]);
  return nanos === undefined || nanos <= 0 ? null : Math.round(nanos / NANOS_PER_MS);
}
