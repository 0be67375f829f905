/** Completion scripts of three shells. Names come from rouse itself; texts are quoted, since a summary may hold anything. */
export interface Spec {
  /** The command: `["config", "show"]`. */
  words: string[];
  summary: string;
  options: { names: string[]; summary: string; takesValue: boolean; choices: string[] }[];
  /** Words that its arguments may be. */
  choices: string[];
  /** Its arguments may be names of agents, which `rouse completions --agents` lists. */
  takesAgent: boolean;
}

const isBelow = (spec: Spec, words: readonly string[]): boolean =>
  spec.words.length === words.length + 1 && words.every((word, at) => spec.words[at] === word);

/** The words that may follow: commands below them, or the values of an argument. */
function followers(specs: readonly Spec[], words: readonly string[]): { word: string; summary: string }[] {
  const below = specs.filter((spec) => isBelow(spec, words));
  const own = specs.find((spec) => spec.words.join(" ") === words.join(" "));
  return [
    ...below.map((spec) => ({ word: spec.words.at(-1) ?? "", summary: spec.summary })),
    ...(own?.choices ?? []).map((word) => ({ word, summary: "" })),
  ];
}

const takesAgent = (specs: readonly Spec[], words: readonly string[]): boolean =>
  specs.some((spec) => spec.takesAgent && spec.words.join(" ") === words.join(" "));

const optionNames = (spec: Spec): string[] => [...spec.options.flatMap(({ names }) => names), "--help"];

/** Options whose next word is a value: the possible values, or files if there are none. */
function valued(specs: readonly Spec[]): { names: string[]; choices: string[] }[] {
  const byChoices = new Map<string, Set<string>>();
  for (const { names, choices } of specs.flatMap(({ options }) => options.filter((o) => o.takesValue))) {
    const key = choices.join(" ");
    byChoices.set(key, new Set([...(byChoices.get(key) ?? []), ...names]));
  }
  return [...byChoices].map(([key, names]) => ({ names: [...names], choices: key === "" ? [] : key.split(" ") }));
}

export function bashScript(specs: readonly Spec[]): string {
  const row = (words: readonly string[], options: readonly string[]): string => {
    const follow = followers(specs, words).map(({ word }) => word);
    const agents = takesAgent(specs, words) ? " agents=yes" : "";
    return `    ${quote(words.join(" "))}) words=${quote(follow.join(" "))} options=${quote(options.join(" "))}${agents} ;;`;
  };
  return `# bash completion for rouse
_rouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place=1 command="" words="" options="" agents=""
  COMPREPLY=()
  case "$before" in
${valued(specs)
  .map(({ names, choices }) => {
    const offer = choices.length > 0 ? `-W ${quote(choices.join(" "))}` : "-f";
    return `    ${names.join("|")}) COMPREPLY=($(compgen ${offer} -- "$current")); return ;;`;
  })
  .join("\n")}
  esac
  while [ "$place" -lt "$COMP_CWORD" ]; do
    case "\${COMP_WORDS[place]}" in
      --) return ;;
      -*) ;;
      *)
        case "\${command:+$command }\${COMP_WORDS[place]}" in
          ${specs.map(({ words }) => quote(words.join(" "))).join("|")}) command="\${command:+$command }\${COMP_WORDS[place]}" ;;
        esac
        ;;
    esac
    place=$((place + 1))
  done
  case "$command" in
${[row([], ["--help", "--version"]), ...specs.map((spec) => row(spec.words, optionNames(spec)))].join("\n")}
  esac
  case "$agents$current" in
    -*|yes-*) words=$options ;;
    yes*) words="$words $("\${COMP_WORDS[0]}" completions --agents 2>/dev/null)" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _rouse rouse
`;
}

export function zshScript(specs: readonly Spec[]): string {
  const described = (word: string, summary: string): string =>
    quote(word.replaceAll(":", "\\:") + (summary === "" ? "" : `:${summary.replaceAll("\n", " ")}`));
  const row = (words: readonly string[], options: readonly { name: string; summary: string }[]): string => {
    const follow = followers(specs, words).map(({ word, summary }) => described(word, summary));
    const offered = options.map(({ name, summary }) => described(name, summary));
    const agents = takesAgent(specs, words) ? " agents=yes" : "";
    return `    ${quote(words.join(" "))}) follow=(${follow.join(" ")}) options=(${offered.join(" ")})${agents} ;;`;
  };
  const help = { name: "--help", summary: "show help" };
  const optionsOf = (spec: Spec) => [
    ...spec.options.flatMap(({ names, summary }) => names.map((name) => ({ name, summary }))),
    help,
  ];
  return `#compdef rouse
_rouse() {
  local command="" agents="" word
  local -i place=1
  local -a follow options
  case "$words[CURRENT-1]" in
${valued(specs)
  .map(({ names, choices }) => {
    const offer = choices.length > 0 ? `compadd -- ${choices.map(quote).join(" ")}` : "_files";
    return `    ${names.join("|")}) ${offer}; return ;;`;
  })
  .join("\n")}
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    place+=1
    case "$word" in
      # The agent's own command: it is completed as if it stood alone.
      --) shift $place words; (( CURRENT -= place )); _normal; return ;;
      -*) ;;
      *)
        case "\${command:+$command }$word" in
          ${specs.map(({ words }) => quote(words.join(" "))).join("|")}) command="\${command:+$command }$word" ;;
        esac
        ;;
    esac
  done
  case "$command" in
${[row([], [help, { name: "--version", summary: "print the version" }]), ...specs.map((spec) => row(spec.words, optionsOf(spec)))].join("\n")}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe option options
  elif [[ -n "$agents" ]]; then
    (( \${#follow} )) && _describe command follow
    compadd -- \${(f)"$("$words[1]" completions --agents 2>/dev/null)"}
  elif (( \${#follow} )); then
    _describe command follow
  else
    _files
  fi
}
# Loaded from fpath, this file is the function; sourced, it only says that there is one.
if [[ "$funcstack[1]" == _rouse ]]; then _rouse "$@"; else compdef _rouse rouse; fi
`;
}

export function fishScript(specs: readonly Spec[]): string {
  const at = (words: readonly string[]): string => quote(["__rouse_at", ...words].join(" "));
  const lines = specs.flatMap((spec) => optionLines(spec, at(spec.words)));
  for (const words of [[], ...specs.map((spec) => spec.words)]) {
    const follow = followers(specs, words);
    const agents = takesAgent(specs, words);
    // If nothing else can follow, files can.
    if (follow.length > 0 || agents) lines.push(`complete -c rouse -n ${at(words)} -f`);
    if (agents)
      lines.push(
        `complete -c rouse -n ${at(words)} -a '(command -q rouse; and rouse completions --agents 2>/dev/null)' -d agent`,
      );
    for (const { word, summary } of follow)
      lines.push(`complete -c rouse -n ${at(words)} -a ${quote(word)}${summary === "" ? "" : ` -d ${quote(summary)}`}`);
  }
  return `# fish completion for rouse
set -g __rouse_commands ${specs.map(({ words }) => quote(words.join(" "))).join(" ")}
# Whether the words before the cursor are this command: options and values of arguments are passed over.
function __rouse_at
  set -l found
  set -l words (commandline -opc)
  for word in $words[2..-1]
    switch $word
      case --
        set found $found --
        break
      case '-*'
      case '*'
        contains -- (string join ' ' -- $found $word) $__rouse_commands; and set found $found $word
    end
  end
  test (string join ' ' -- $found x) = (string join ' ' -- $argv x)
end
# The agent's own command: it is completed as if it stood alone.
function __rouse_behind
  set -l words (commandline -opc)
  set -l from (math (contains -i -- -- $words) + 1)
  complete -C (string join ' ' -- (string escape -- $words[$from..-1]) (commandline -ct))
end
complete -c rouse -n ${at([])} -s h -l help -d 'show help'
complete -c rouse -n ${at([])} -s V -l version -d 'print the version'
complete -c rouse -n 'contains -- -- (commandline -opc)' -x -a '(__rouse_behind)'
${lines.join("\n")}
`;
}

function optionLines({ options }: Spec, condition: string): string[] {
  const rows = options.map(({ names, summary, takesValue, choices }) => {
    const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
    const value = !takesValue ? "" : choices.length > 0 ? ` -x -a ${quote(choices.join(" "))}` : " -r -F";
    return `complete -c rouse -n ${condition} ${flags.join(" ")}${value} -d ${quote(summary)}`;
  });
  return [...rows, `complete -c rouse -n ${condition} -s h -l help -d 'show help'`];
}

/** For all three shells: nothing is special between single quotes; one of them is written outside. */
const quote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;
