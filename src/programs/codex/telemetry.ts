/** Settings that make Codex send its telemetry to the daemon. */
export function telemetry({ url, key }: { url: string; key: string }): string {
  const exporter = (path: string): string =>
    `{ otlp-http = { endpoint = "${url}/v1/${path}", protocol = "json", headers = { Authorization = "Bearer ${key}" } } }`;
  return `# Codex: in ~/.codex/config.toml
[otel]
exporter = ${exporter("logs")}
metrics_exporter = ${exporter("metrics")}
`;
}
