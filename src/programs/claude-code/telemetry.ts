import type { TelemetryPart } from "../program.js";

/** Values of the query source that mean the session itself. */
const MAIN_SOURCES: ReadonlySet<string> = new Set(["repl_main_thread", "sdk", "main"]);

/** Measured with 2.1.325. */
export const telemetry: TelemetryPart = {
  settings: ({ url, keyFile }) =>
    `# Claude Code: in the shell that starts it
export CLAUDE_CODE_ENABLE_TELEMETRY=1
export OTEL_LOGS_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_PROTOCOL=http/json
export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer $(cat ${keyFile})"
`,
  names: {
    prefix: "claude_code.",
    events: {
      user_prompt: { shows: "prompt", text: "prompt", id: "prompt.id" },
      api_request: {
        shows: "usage",
        input: ["input_tokens", "cache_read_tokens", "cache_creation_tokens"],
        output: ["output_tokens"],
        cost: "cost_usd",
      },
      assistant_response: { shows: "life", chars: "response_length" },
      tool_result: { shows: "life", chars: "tool_result_size_bytes" },
      compaction: { shows: "compaction" },
      api_error: {
        shows: "failure",
        text: "error",
        status: "status_code",
        asker: "query_source",
        isMain: MAIN_SOURCES,
      },
    },
    unused: [
      "api_refusal",
      "api_request_body",
      "api_response_body",
      "api_retries_exhausted",
      "at_mention",
      "auth",
      "feedback_survey",
      "hook_execution_complete",
      "hook_execution_start",
      "hook_plugin_metrics",
      "hook_registered",
      "internal_error",
      "managed_settings_resolved",
      "mcp_server_connection",
      "permission_mode_changed",
      "plugin_installed",
      "plugin_loaded",
      "skill_activated",
      "tool_decision",
    ],
    tokens: {
      "claude_code.token.usage": { type: "type", input: ["input", "cacheRead", "cacheCreation"], output: ["output"] },
    },
    cost: "claude_code.cost.usage",
  },
};
