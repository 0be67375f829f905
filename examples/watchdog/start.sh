#!/bin/sh
# Starts a watchdog that is itself an agent, on a small model, with the tools of rouse and no others: no flag that skips
# permissions is needed, since it may use only what is named here. A timer wakes it every 30 seconds:
#   watchdog_start {"pane_id": "watchdog", "interval_secs": 30, "message": "check"}
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec rouse spawn --name watchdog --tag watchdog -- claude \
  --model haiku \
  --strict-mcp-config --mcp-config '{"mcpServers":{"rouse":{"command":"rouse","args":["mcp"]}}}' \
  --tools "" \
  --allowedTools mcp__rouse__get_worker_status mcp__rouse__get_status mcp__rouse__send_orchestration \
  --append-system-prompt "$(cat "$here/prompt.md")"
