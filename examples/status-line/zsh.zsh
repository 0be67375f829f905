# ~/.zshrc: a line above the prompt while an agent is stalled or needs you.
rouse_line() {
  local line
  line=$(rouse status --line --quiet 2>/dev/null)
  [[ -z $line ]] || print -r -- "$line"
}
autoload -Uz add-zsh-hook
add-zsh-hook precmd rouse_line
