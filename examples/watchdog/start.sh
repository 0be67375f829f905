#!/bin/sh
# Starts a watchdog that is itself an agent, on a small model, with three tools of rouse and no others. It never asks for
# a permission, so it needs no flag that skips them. It cannot acknowledge messages in the orchestrator's inbox.
# The preset "watchdog" is in config.toml beside this file; copy it into your own configuration first.
#
# A timer has to wake it every 30 seconds. A client with the right control starts the timer, once:
#   TOKEN=$(rouse token create timer --right control)
#   curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
#     -d '{"agent":"watchdog","interval_secs":30}' http://127.0.0.1:17687/v1/watchdogs
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec rouse spawn --preset watchdog --name watchdog --tag watchdog -- \
  --strict-mcp-config --mcp-config '{"mcpServers":{"rouse":{"command":"rouse","args":["mcp"]}}}' \
  --tools "" \
  --allowedTools mcp__rouse__get_worker_status mcp__rouse__get_status mcp__rouse__send_orchestration \
  --disallowedTools mcp__rouse__why mcp__rouse__read_pane mcp__rouse__poll_messages mcp__rouse__report_status \
  mcp__rouse__get_activity mcp__rouse__spawn_agent mcp__rouse__recover_agent \
  mcp__rouse__list_tasks mcp__rouse__claim_task mcp__rouse__release_task mcp__rouse__checkpoint \
  mcp__rouse__send_input mcp__rouse__close_pane mcp__rouse__kill_session mcp__rouse__watchdog_start mcp__rouse__watchdog_stop \
  --append-system-prompt "$(cat "$here/prompt.md")"
