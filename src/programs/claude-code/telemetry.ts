/** Settings that make Claude Code send its telemetry to the daemon. */
export const telemetry = ({ url, keyFile }: { url: string; keyFile: string }): string =>
  `# Claude Code: in the shell that starts it
export CLAUDE_CODE_ENABLE_TELEMETRY=1
export OTEL_LOGS_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_PROTOCOL=http/json
export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer $(cat ${keyFile})"
`;
