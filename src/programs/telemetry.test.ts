import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../core/signal.js";
import { otlpLogs, otlpPoints, otlpSpans } from "../readers/records/otlp.js";
import { TelemetryReader } from "../readers/records/telemetry.js";
import { parseSignal } from "../readers/signal-schema.js";
import { TELEMETRY_NAMES } from "./registry.js";

/** Batches of Claude Code 2.1.325 and Codex 0.166.0, as they were posted. */
const batch = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../test/fixtures/otlp", `${name}.json`), "utf8"));

const NOW = 1_800_000_000_000;

function readLogs(body: unknown, reader = new TelemetryReader(TELEMETRY_NAMES)): Signal[] {
  return otlpLogs(body).flatMap((record) => reader.read(record, record.at ?? NOW));
}

const ofKind = <K extends Signal["kind"]>(signals: readonly Signal[], kind: K): Extract<Signal, { kind: K }>[] =>
  signals.filter((signal): signal is Extract<Signal, { kind: K }> => signal.kind === kind);

describe("telemetry of Claude Code", () => {
  it("reports tokens with their cost, and counts cached ones as input", () => {
    const signals = readLogs(batch("claude-logs"));
    expect(ofKind(signals, "tokens")).toMatchObject([
      { source: "telemetry", input: 132, output: 20, costUsd: 0.000555 },
      { source: "telemetry", input: 132, output: 15, costUsd: 0.000455 },
    ]);
  });

  it("reports the prompt, liveness from replies and results, and session facts, but no turns and no calls", () => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    const signals = readLogs(batch("claude-logs"), reader);
    expect(signals.map(({ kind }) => kind)).toEqual([
      "session",
      "message",
      "session",
      "tokens",
      "delta",
      "tokens",
      "delta",
    ]);
    expect(ofKind(signals, "session")).toMatchObject([{ version: "2.1.325" }, { model: "claude-opus-5-5" }]);
    expect(ofKind(signals, "message")).toMatchObject([{ role: "user" }]);
    expect(JSON.stringify(signals)).not.toContain("REDACTED");
    expect([...reader.skipped]).toEqual([]);
  });

  it("reports an abandoned request as a failure, unless a subagent made it", () => {
    const body = batch("claude-error-logs");
    expect(ofKind(readLogs(body), "error")).toMatchObject([{ cause: "api", final: true, text: "boom" }]);
    const other = JSON.parse(JSON.stringify(body).replaceAll('"sdk"', '"agent:explore"'));
    expect(ofKind(readLogs(other), "error")).toEqual([]);
  });

  it("counts by metrics if there are no events", () => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    expect(reader.count(otlpPoints(batch("claude-metrics")), NOW)).toEqual([
      { kind: "tokens", at: NOW, source: "telemetry", input: 264, output: 35, costUsd: 0.00101 },
    ]);
  });

  it.each([
    ["events first", ["claude-logs", "claude-metrics"]],
    ["metrics first", ["claude-metrics", "claude-logs"]],
  ])("counts the same tokens once, %s", (_, order) => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    const signals = order.flatMap((name) =>
      name === "claude-logs" ? readLogs(batch(name), reader) : reader.count(otlpPoints(batch(name)), NOW),
    );
    expect(ofKind(signals, "tokens").reduce((sum, { output }) => sum + output, 0)).toBe(35);
  });

  it("counts a growing total by its increase", () => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    const at = (total: number) =>
      reader.count(
        otlpPoints({
          resourceMetrics: [
            {
              scopeMetrics: [
                {
                  metrics: [
                    {
                      name: "claude_code.token.usage",
                      sum: {
                        aggregationTemporality: 2,
                        dataPoints: [
                          { attributes: [{ key: "type", value: { stringValue: "output" } }], asInt: String(total) },
                        ],
                      },
                    },
                  ],
                },
              ],
            },
          ],
        }),
        NOW,
      );
    expect([at(100), at(150), at(150), at(180)].flat()).toMatchObject([
      { output: 0 },
      { output: 50 },
      { output: 0 },
      { output: 30 },
    ]);
  });
});

describe("telemetry of Codex", () => {
  it("reports tokens once although the end of a reply is written twice, and reads numbers written as text", () => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    const signals = readLogs(batch("codex-logs"), reader);
    expect(ofKind(signals, "tokens")).toMatchObject([
      { input: 120, output: 12 },
      { input: 120, output: 12 },
    ]);
    expect(ofKind(signals, "request")).toHaveLength(2);
    expect(ofKind(signals, "session")).toMatchObject([{ model: "gpt-5", version: "0.166.0" }]);
    expect([...reader.skipped]).toEqual([]);
  });

  it("uses the time at which a record was seen if it has none of its own", () => {
    expect(otlpLogs(batch("codex-logs"))[0]?.at).toBe(1_794_730_154_510);
  });

  it("does not add counts that are part of another count", () => {
    const signals = new TelemetryReader(TELEMETRY_NAMES).count(otlpPoints(batch("codex-metrics")), NOW);
    expect(signals).toMatchObject([{ input: 240, output: 24 }]);
  });

  it("reports a failed request as a retry, because Codex retries", () => {
    const attributes = [
      { key: "event.name", value: { stringValue: "codex.api_request" } },
      { key: "http.response.status_code", value: { intValue: "503" } },
      { key: "error.message", value: { stringValue: "upstream overloaded" } },
    ];
    const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes }] }] }] };
    expect(readLogs(body)).toMatchObject([{ kind: "retry", infra: "overload", text: "upstream overloaded" }]);
  });

  it("does not count a ping as liveness", () => {
    const event = (kind: string) => ({
      attributes: [
        { key: "event.name", value: { stringValue: "codex.sse_event" } },
        { key: "event.kind", value: { stringValue: kind } },
      ],
    });
    const logRecords = [event("keepalive"), event("ping"), event("response.output_text.delta")];
    expect(readLogs({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })).toMatchObject([{ kind: "delta" }]);
  });
});

describe("any telemetry", () => {
  it("counts unknown names, up to a bound", () => {
    const reader = new TelemetryReader(TELEMETRY_NAMES);
    const logRecords = Array.from({ length: 1000 }, (_, i) => ({ body: { stringValue: `claude_code.x${i}` } }));
    expect(readLogs({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, reader)).toEqual([]);
    expect(reader.skipped.size).toBeLessThanOrEqual(65);
    expect([...reader.skipped.values()].reduce((a, b) => a + b)).toBe(1000);
  });

  it("reads a batch only up to a bound", () => {
    const logRecords = Array.from({ length: 20_000 }, () => ({}));
    expect(otlpLogs({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })).toHaveLength(5000);
  });

  it("is read without throwing, and gives signals that can be stored", () => {
    const keys = ["resourceLogs", "resourceMetrics", "resourceSpans", "scopeLogs", "scopeMetrics", "scopeSpans"];
    const inner = ["logRecords", "metrics", "spans", "sum", "histogram", "dataPoints", "attributes", "key", "value"];
    const leaves = ["stringValue", "intValue", "asInt", "asDouble", "timeUnixNano", "body", "name", "event.name"];
    const words = [...keys, ...inner, ...leaves, "codex.sse_event", "api_request", "api_error", "output_token_count"];
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: "large", withCrossShrink: true },
        fc.constantFrom<unknown>(...words, null, true, -1, 1e308, "1e999", "9".repeat(40)),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...words), tie("node"), { maxKeys: 6, noNullPrototype: true }),
      ),
    }));
    const record = fc.array(
      fc.record({ key: fc.constantFrom(...words, "error", "status_code"), value: fc.record({ stringValue: node }) }),
    );
    const shaped = record.map((attributes) => ({
      resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords: [{ attributes }] }] }],
      resourceMetrics: [
        { scopeMetrics: [{ metrics: [{ name: "claude_code.cost.usage", sum: { dataPoints: [{ attributes }] } }] }] },
      ],
    }));
    fc.assert(
      fc.property(fc.oneof(node, shaped), (body) => {
        const reader = new TelemetryReader(TELEMETRY_NAMES);
        otlpSpans(body);
        const signals = [...readLogs(body, reader), ...reader.count(otlpPoints(body), NOW)];
        for (const signal of signals) expect(parseSignal(signal)).toEqual(signal);
      }),
      { numRuns: process.env.ROUSE_FULL === "1" ? 20_000 : 500 },
    );
  });
});
