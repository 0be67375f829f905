import type { TelemetryEvent } from "../../readers/records/telemetry.js";
import type { TelemetryPart } from "../program.js";

const REQUEST: TelemetryEvent = {
  shows: "request",
  failure: "error.message",
  status: "http.response.status_code",
  attempt: "attempt",
};

/** Measured with 0.166.0. */
export const telemetry: TelemetryPart = {
  settings({ url, key }) {
    const exporter = (path: string): string =>
      `{ otlp-http = { endpoint = "${url}/v1/${path}", protocol = "json", headers = { Authorization = "Bearer ${key}" } } }`;
    return `# Codex: in ~/.codex/config.toml
[otel]
exporter = ${exporter("logs")}
metrics_exporter = ${exporter("metrics")}
`;
  },
  names: {
    prefix: "",
    events: {
      "codex.user_prompt": { shows: "prompt", text: "prompt" },
      "codex.conversation_starts": { shows: "session" },
      "codex.api_request": REQUEST,
      "codex.websocket_request": REQUEST,
      "codex.sse_event": {
        shows: "reply",
        failure: "error.message",
        part: "event.kind",
        // A ping is none of these.
        isWritten: /delta|output_item|content_part|completed/,
        usage: { input: ["input_token_count"], output: ["output_token_count"] },
      },
      "codex.tool_result": { shows: "life", text: "output" },
    },
    unused: [
      "codex.auth_recovery",
      "codex.sandbox_outcome",
      "codex.startup_phase",
      "codex.tool_decision",
      "codex.turn_ttft",
      "codex.websocket_connect",
      "codex.websocket_event",
    ],
    // Cached, reasoning and total tokens are included in these two.
    tokens: { "codex.turn.token_usage": { type: "token_type", input: ["input"], output: ["output"] } },
    cost: null,
  },
};
