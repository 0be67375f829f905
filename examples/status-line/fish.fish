# ~/.config/fish/conf.d/rouse.fish: a line above the prompt while an agent is stalled or needs you.
function rouse_line --on-event fish_prompt
  set -l line (rouse status --line --quiet 2>/dev/null)
  test -z "$line"; or printf '%s\n' $line
end
