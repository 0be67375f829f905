# ~/.bashrc: a line above the prompt while an agent is stalled or needs you. Last in PROMPT_COMMAND, so that earlier commands see $?.
rouse_line() {
  local line
  line=$(rouse status --line --quiet 2>/dev/null)
  [ -z "$line" ] || printf '%s\n' "$line"
}
if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == "declare -a"* ]]; then
  PROMPT_COMMAND+=(rouse_line)
else
  PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}rouse_line"
fi
