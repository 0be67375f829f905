#!/bin/sh
# Starts a watchdog that is itself an agent, on a small model, with three tools of rouse and no others. It never asks for
# a permission, so it needs no flag that skips them. It cannot acknowledge messages in the orchestrator's inbox.
# A timer wakes it every 30 seconds:
#   watchdog_start {"pane_id": "watchdog", "interval_secs": 30, "message": "check"}
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec rouse spawn --name watchdog --tag watchdog -- claude \
  --model haiku \
  --strict-mcp-config --mcp-config '{"mcpServers":{"rouse":{"command":"rouse","args":["mcp"]}}}' \
  --tools "" \
  --allowedTools mcp__rouse__get_worker_status mcp__rouse__get_status mcp__rouse__send_orchestration \
  --disallowedTools mcp__rouse__why mcp__rouse__read_pane mcp__rouse__poll_messages mcp__rouse__report_status \
  mcp__rouse__get_activity mcp__rouse__spawn_agent mcp__rouse__recover_agent \
  mcp__rouse__send_input mcp__rouse__close_pane mcp__rouse__kill_session mcp__rouse__watchdog_start mcp__rouse__watchdog_stop \
  --append-system-prompt "$(cat "$here/prompt.md")"
